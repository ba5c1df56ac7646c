/** For tests of this and of other modules. */
package io.thermocline.hotstore.testkit;

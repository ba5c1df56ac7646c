/** Encoding of primary keys and key prefixes. */
package io.thermocline.hotstore.key;

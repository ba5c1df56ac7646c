/** Rules between the modules: who may depend on whom, and on what from outside. */
package io.thermocline.e2e.architecture;

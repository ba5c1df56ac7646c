/**
 * The lake SPI: what Thermocline needs of a lake format, in the project's own terms. Bindings live
 * in modules of their own and pass the conformance suite in this module's test jar.
 */
package io.thermocline.lake;

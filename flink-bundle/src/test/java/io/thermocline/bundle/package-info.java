/** Checks the connector jar as a user gets it. */
package io.thermocline.bundle;

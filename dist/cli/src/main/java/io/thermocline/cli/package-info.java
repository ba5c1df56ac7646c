/**
 * The {@code ./thermocline} command line: one class per command. Commands parse and print; what
 * they do lives in the packages below.
 */
package io.thermocline.cli;

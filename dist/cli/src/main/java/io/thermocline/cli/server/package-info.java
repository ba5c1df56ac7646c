/** The hot store's server of a warehouse: start, find and stop it. */
package io.thermocline.cli.server;

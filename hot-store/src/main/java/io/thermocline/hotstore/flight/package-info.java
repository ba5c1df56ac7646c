/**
 * Arrow Flight: the service over any {@code HotStore}, and the client that is itself a {@code
 * HotStore}. Commands and schemas are described in {@code docs/flight.md}. Nothing here knows
 * files, locks or how a server is started.
 */
package io.thermocline.hotstore.flight;

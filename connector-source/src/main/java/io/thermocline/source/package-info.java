/**
 * The table source: scans (FLIP-27) and lookups of a logical table. Planning makes no connection to
 * the hot store; only running sources and lookup functions do.
 */
package io.thermocline.source;

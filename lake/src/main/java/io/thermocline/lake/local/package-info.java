/** Warehouses on a local file system: what two processes on one host must not do twice. */
package io.thermocline.lake.local;

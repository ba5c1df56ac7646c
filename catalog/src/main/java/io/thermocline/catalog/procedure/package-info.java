/** Procedures that {@code CALL sys.…} runs. They run in the client and may start the hot store. */
package io.thermocline.catalog.procedure;

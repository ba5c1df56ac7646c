/** Lookup functions: by primary key or a prefix of it, against the hot tier's key index. */
package io.thermocline.source.lookup;

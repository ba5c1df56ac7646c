/**
 * SQL in one JVM with a mini cluster, the hot store in a process of its own: case files, and random
 * histories against a model.
 */
package io.thermocline.e2e.sql;

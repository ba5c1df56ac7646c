/**
 * The Flink catalog: one logical table over both tiers, made from the lake's catalog, which is the
 * only metadata store. Factories, DDL and the rules of table definitions belong here; what a table
 * does when it is read or written belongs to the source and sink modules.
 */
package io.thermocline.catalog;

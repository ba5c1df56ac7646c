/**
 * Options of catalogs and tables, and the rules that they are checked by. Options of reading and
 * writing are declared where they act, in the source and sink packages; this package knows them
 * all.
 */
package io.thermocline.catalog.option;

/** Predicates that the hot store can use to skip frame groups. */
package io.thermocline.hotstore.filter;

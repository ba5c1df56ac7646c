/**
 * The hot store: a changelog and a key index per bucket. This package holds what other modules see;
 * the bucket state machine, files and transport are in the sub-packages.
 */
package io.thermocline.hotstore;

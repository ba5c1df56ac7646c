/**
 * The side-by-side runner: starts every system in processes of its own, lets them do the same work
 * in turn, and reports medians, ratios and what each process used.
 */
package io.thermocline.benchmarks.runner;

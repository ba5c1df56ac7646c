/**
 * Figures of a running server for Prometheus: collected from the store when somebody asks, offered
 * over HTTP. Thread-safe.
 */
package io.thermocline.hotserver.metrics;

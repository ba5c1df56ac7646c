/**
 * JMH benchmarks of the inner loops: {@code java … -cp … org.openjdk.jmh.Main [NAME]}, as {@code
 * docs/performance.md} tells.
 */
package io.thermocline.benchmarks.micro;

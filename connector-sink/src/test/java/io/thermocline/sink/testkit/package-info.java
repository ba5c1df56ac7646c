/** A hot table that records requests, and a task context that the test drives. */
package io.thermocline.sink.testkit;

/**
 * SQL sessions: Flink's SQL client and gateway in this process, against a mini cluster of this
 * process or a session cluster; and the runner of SQL files.
 */
package io.thermocline.cli.sql;

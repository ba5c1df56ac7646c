/**
 * Which server belongs to a warehouse, where it answers, and starting it: store record, endpoint
 * file, detached process. Knows nothing of what a server does.
 */
package io.thermocline.hotserver.launch;

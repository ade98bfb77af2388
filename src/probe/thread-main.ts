import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadData } from './messages.js';
import { runThread } from './run-thread.js';
import { threadClock } from './thread-clock.js';

// The entry of the probe thread; tools/embed-thread.mjs bundles it into a string.
if (parentPort !== null) void runThread(workerData as ThreadData, parentPort, threadClock);

import { workerData } from 'node:worker_threads';
import { threadClock } from '../thread-clock.js';
import { type KillThreadData, runKillThread } from './run-kill-thread.js';

// The entry of the kill switch's thread; tools/embed-thread.mjs bundles it into a string.
runKillThread(workerData as KillThreadData, threadClock);

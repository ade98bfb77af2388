import { embedThreads } from './embed-thread.mjs';
import { ROOT } from './lib/run.mjs';

/** Tests import `src`, so the embedded probe thread must be as new as its sources. */
export default async function setup() {
  await embedThreads(ROOT);
}

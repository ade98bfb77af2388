export { monolithPreset } from './monolith.js';
export { onDemandPreset } from './on-demand.js';
export { queueWorkerPreset } from './queue-worker.js';

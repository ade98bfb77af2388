import { attachHealthToNext } from 'hale/next';
import { startHealth } from './health.mjs';

// node --import ./preload.mjs server.js
await startHealth(attachHealthToNext);

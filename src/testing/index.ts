export {
  type FaultMode,
  type FaultProxy,
  type FaultProxyOptions,
  createFaultProxy,
} from './fault-proxy.js';
export { type ManualClock, type ManualClockOptions, createManualClock } from './manual-clock.js';

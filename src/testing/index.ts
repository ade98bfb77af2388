export {
  type FaultMode,
  type FaultProxy,
  type FaultProxyOptions,
  createFaultProxy,
} from './fault-proxy.js';

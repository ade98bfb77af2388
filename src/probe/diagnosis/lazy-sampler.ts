import type { Clock } from '../../core/clock.js';
import type { MainSample, MainSampler } from './main-sampler.js';

/** A sampler that is loaded when somebody looks for the first time. */
export interface LazySampler {
  read(): Promise<MainSample>;
  dispose(): void;
}

/** Creates it; nothing is loaded yet. */
export function createLazySampler(clock: Pick<Clock, 'now' | 'setTimeout'>): LazySampler {
  let sampler: MainSampler | undefined;
  let disposed = false;
  return {
    async read() {
      const { createMainSampler } = await import('./main-sampler.js');
      sampler ??= createMainSampler(clock);
      const sample = sampler.read();
      // Asked just before the end: nothing may observe any longer.
      if (disposed) sampler.dispose();
      return sample;
    },
    dispose() {
      disposed = true;
      sampler?.dispose();
    },
  };
}

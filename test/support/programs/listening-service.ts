import { createServer } from 'node:net';
import { type HealthOptions, createHealth } from '../../../src/index.js';

/** What the test tells this program to do. */
export type Command =
  | { readonly do: 'start'; readonly id: number; readonly options: HealthOptions }
  | { readonly do: 'maintenance'; readonly on: boolean }
  | { readonly do: 'dispose'; readonly id: number }
  | { readonly do: 'listen' };

const tell = (event: object): void => void process.send?.(event);
let health = createHealth({ env: {} });

async function obey(command: Command): Promise<void> {
  switch (command.do) {
    case 'start': {
      // Only then the functions that JSON cannot carry.
      health = createHealth({ env: {}, ...command.options, signals: false });
      const addresses = await health.start();
      await health.untilStarted(5000);
      tell({ event: `started ${command.id}`, addresses });
      return;
    }
    case 'maintenance':
      health.maintenance(command.on);
      return;
    case 'dispose':
      await health.dispose();
      tell({ event: `disposed ${command.id}` });
      return;
    case 'listen':
      createServer().listen(0, '127.0.0.1', () => tell({ event: 'listening' }));
  }
}

process.on('message', (command: Command) => void obey(command));
tell({ event: 'ready' });

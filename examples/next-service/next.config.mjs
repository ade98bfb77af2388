import { createRequire } from 'node:module';
import path from 'node:path';

// The folder that holds node_modules: not this one where npm workspaces share it.
const next = createRequire(import.meta.url).resolve('next/package.json');
const root = path.resolve(path.dirname(next), '../..');

export default {
  output: 'standalone',
  outputFileTracingRoot: root,
  turbopack: { root },
  // Next.js cannot see what --import loads.
  outputFileTracingIncludes: {
    '/*': ['./preload.mjs', './health.mjs', './node_modules/hale/**/*'],
  },
  serverExternalPackages: ['hale'],
};

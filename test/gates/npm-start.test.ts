import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { plantTree } from './planted-tree.js';

// Stands in for the service: it needs a moment to end, and says how it ended.
const SERVICE = `
const alive = setInterval(() => {}, 1000);
process.once('SIGTERM', () => {
  clearInterval(alive);
  setTimeout(() => console.log('ended cleanly'), 200);
});
console.log('up');
`;

describe('npm start', () => {
  // A shell between npm and the service would die first, and npm would leave the service behind.
  it('passes SIGTERM to the service itself and waits for its clean end', async () => {
    using tree = plantTree({ 'tools/start.mjs': SERVICE });
    const npm = spawn('npm', ['start'], { cwd: tree.root, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (text.includes('up\n')) npm.kill('SIGTERM');
    });
    const [code] = await once(npm, 'close');
    expect(output).toContain('ended cleanly');
    expect(code).toBe(0);
  });
});

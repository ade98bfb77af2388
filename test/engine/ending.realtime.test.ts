import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const FILE = fileURLToPath(new URL('../fixtures/one-shot.mjs', import.meta.url));

/** Runs the program to its end. */
function run(argument: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const options = { timeout: 20_000, env: { ...process.env, NODE_OPTIONS: '' } };
    execFile(process.execPath, [FILE, argument], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

describe('a process that ends by itself', () => {
  it.each([0, 3])(
    'D1, D6: hooks run without a delay for anyone, a person is told, and the exit code %i stays',
    async (code) => {
      const { code: got, stderr } = await run(String(code));
      expect(got).toBe(code);
      expect(stderr).toContain('"reason":"before_exit","propagationDelayMs":0');
      const told = stderr.split('\n').filter((line) => line.startsWith('hale: '));
      expect(told).toEqual([
        expect.stringMatching(/^hale: before_exit: not ready any more, 0 in flight, at most 120/),
        expect.stringMatching(
          /^hale: running the shutdown hooks, at most .*"database" \(running\)$/,
        ),
        expect.stringMatching(/^hale: running the shutdown hooks: done in 1\.\d s$/),
        expect.stringMatching(/^hale: drained in 1\.\d s, exit code 0$/),
      ]);
    },
  );

  it('leaves no listener on the process after dispose(), which then ends by itself', async () => {
    const { code, stdout } = await run('dispose');
    const { before, during, after } = JSON.parse(stdout) as Record<string, number[]>;
    expect(code).toBe(0);
    expect(after).toEqual(before);
    expect(during).toEqual(before?.map((count) => count + 1));
  });
});

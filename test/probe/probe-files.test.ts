import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProbeFiles } from '../../src/probe/probe-files.js';
import type { ProbeKind } from '../../src/probe/probe-kind.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hale-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function createKit(at = folder) {
  const clock = createManualClock();
  const files = {
    readiness: path.join(at, 'ready'),
    liveness: path.join(at, 'live'),
  };
  const texts: Partial<Record<ProbeKind, string>> = {};
  const errors: unknown[] = [];
  const output = createProbeFiles({
    files,
    textOf: (probe) => texts[probe],
    clock,
    onError: (error) => errors.push(error),
  });
  const ageMs = (file: string): number => clock.wallNow() - statSync(file).mtimeMs;
  return { clock, files, texts, errors, output, ageMs };
}

describe('E6: files for exec probes', () => {
  it('exist while their probe passes, each for itself', () => {
    const { files, texts, output, errors } = createKit();
    texts.liveness = 'pass ok';
    output.look();
    expect([existsSync(files.liveness), existsSync(files.readiness)]).toEqual([true, false]);
    texts.readiness = 'pass ok';
    output.look();
    expect(readFileSync(files.readiness, 'utf8')).toBe('pass ok');
    texts.readiness = 'warn check_degraded:cache';
    output.look();
    expect(readFileSync(files.readiness, 'utf8')).toBe('warn check_degraded:cache');
    delete texts.readiness;
    output.look();
    expect([existsSync(files.liveness), existsSync(files.readiness)]).toEqual([true, false]);
    expect(readdirSync(folder)).toEqual(['live']);
    expect(errors).toEqual([]);
  });

  it('beat by their modification time, and not at each look', () => {
    const { clock, files, texts, output, ageMs } = createKit();
    texts.liveness = 'pass ok';
    output.look();
    clock.jump(1900);
    const written = statSync(files.liveness).mtimeMs;
    output.look();
    expect(statSync(files.liveness).mtimeMs).toBe(written);
    clock.jump(100);
    output.look();
    expect(ageMs(files.liveness)).toBe(0);
    // Nobody looks: the process stands still.
    clock.jump(60_000);
    expect(ageMs(files.liveness)).toBe(60_000);
  });

  it('of a process before this one go at once', () => {
    writeFileSync(path.join(folder, 'ready'), 'left by a process that was killed');
    const { files } = createKit();
    expect(existsSync(files.readiness)).toBe(false);
  });

  it('come back when somebody cleans up', () => {
    const { clock, files, texts, output, errors } = createKit();
    texts.liveness = 'pass ok';
    output.look();
    rmSync(files.liveness);
    clock.jump(2000);
    output.look();
    expect(readFileSync(files.liveness, 'utf8')).toBe('pass ok');
    expect(errors).toEqual([]);
  });

  it('of a process that took the path over are left alone', async () => {
    const { clock, files, texts, output } = createKit();
    texts.readiness = 'pass ok';
    output.look();
    const next = `${files.readiness}.next`;
    writeFileSync(next, 'the next process');
    rmSync(files.readiness);
    writeFileSync(files.readiness, readFileSync(next));
    rmSync(next);
    const { mtimeMs } = statSync(files.readiness);
    clock.jump(2000);
    output.look();
    expect(statSync(files.readiness).mtimeMs).toBe(mtimeMs);
    await output.close();
    expect(readFileSync(files.readiness, 'utf8')).toBe('the next process');
  });

  it('go at the end', async () => {
    const { texts, output } = createKit();
    texts.liveness = texts.readiness = 'pass ok';
    output.look();
    await output.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('make their folder, and tell once when they cannot be written', () => {
    const deeper = createKit(path.join(folder, 'not', 'yet'));
    deeper.texts.liveness = 'pass ok';
    deeper.output.look();
    expect(existsSync(deeper.files.liveness)).toBe(true);
    writeFileSync(path.join(folder, 'a-file'), '');
    const kit = createKit(path.join(folder, 'a-file'));
    // Once for each of the two, already when the old ones are to go.
    expect(kit.errors).toHaveLength(2);
    kit.texts.liveness = 'pass ok';
    kit.output.look();
    kit.output.look();
    expect(kit.errors).toHaveLength(2);
    expect(kit.errors[0]).toMatchObject({ code: expect.stringMatching(/^(ENOTDIR|EEXIST)$/) });
  });

  it('are written through no link that somebody has laid', () => {
    const { files, texts, output, errors } = createKit();
    const victim = path.join(folder, 'victim');
    writeFileSync(victim, 'precious');
    symlinkSync(victim, files.readiness);
    symlinkSync(victim, `${files.liveness}.${process.pid}.next`);
    texts.liveness = texts.readiness = 'pass ok';
    output.look();
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    for (const file of [files.liveness, files.readiness]) {
      expect(lstatSync(file).isFile()).toBe(true);
      expect(readFileSync(file, 'utf8')).toBe('pass ok');
    }
    expect(errors).toEqual([]);
  });

  it('leave nothing half done where a folder is in their place', () => {
    const kit = createKit();
    mkdirSync(path.join(kit.files.liveness, 'of another'), { recursive: true });
    kit.texts.liveness = kit.texts.readiness = 'pass ok';
    kit.output.look();
    kit.output.look();
    expect(kit.errors).toHaveLength(1);
    expect(readdirSync(folder).toSorted()).toEqual(['live', 'ready']);
    expect(readdirSync(kit.files.liveness)).toEqual(['of another']);
  });

  it('beat on while what they say cannot be written, as on a full disk', () => {
    const { clock, files, texts, output, errors, ageMs } = createKit();
    texts.readiness = 'pass ok';
    output.look();
    clock.jump(2000);
    output.look();
    // A name that is taken stands for a disk without room: the next file cannot be made.
    mkdirSync(path.join(`${files.readiness}.${process.pid}.next`, 'in the way'), {
      recursive: true,
    });
    texts.readiness = 'warn check_degraded:cache';
    for (let passed = 0; passed < 30_000; passed += 500) {
      clock.jump(500);
      output.look();
    }
    expect(ageMs(files.readiness)).toBeLessThanOrEqual(2000);
    expect(readFileSync(files.readiness, 'utf8')).toBe('pass ok');
    expect(errors).toHaveLength(1);
    delete texts.readiness;
    output.look();
    expect(existsSync(files.readiness)).toBe(false);
  });
});

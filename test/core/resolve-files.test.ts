import { describe, expect, it } from 'vitest';
import { resolveFiles } from '../../src/core/resolve-files.js';

describe('E6: files for exec probes', () => {
  it('are none unless asked for', () => {
    expect(resolveFiles(undefined)).toEqual({});
    expect(resolveFiles({})).toEqual({});
  });

  it('are those asked for', () => {
    expect(resolveFiles({ readiness: '/run/app/ready' })).toEqual({
      files: { readiness: '/run/app/ready' },
    });
    const both = { liveness: 'C:\\run\\live', startup: '/run/app/started' };
    expect(resolveFiles(both)).toEqual({ files: both });
  });

  it('L1: never answer two questions, and stand where their path says', () => {
    expect(() => resolveFiles({ readiness: '/a', liveness: '/a' })).toThrow(
      'probes.files.readiness must be a file of its own, got "/a"',
    );
    for (const path of ['ready', './ready', '/run/', 7, '', '/a\0b']) {
      expect(() => resolveFiles({ readiness: path })).toThrow(
        'probes.files.readiness must be the absolute path of a file',
      );
    }
    expect(() => resolveFiles('/run/ready')).toThrow('probes.files must be an object');
  });
});

import 'reflect-metadata';
import { createRequire } from 'node:module';
import type * as Common from '@nestjs/common';
import type * as Core from '@nestjs/core';
import type * as PlatformFastify from '@nestjs/platform-fastify';
import type * as Terminus from '@nestjs/terminus';

/** The packages of one major of Nest; 10 has the types of 11 wherever the tests look. */
export interface Nest {
  readonly major: string;
  readonly common: typeof Common;
  readonly core: typeof Core;
  readonly fastify: typeof PlatformFastify;
  readonly terminus: typeof Terminus;
}

/** Loads a major from where its packages are installed, because they look for each other by their names. */
function load(major: string, from: string): Nest {
  const require = createRequire(new URL(from, import.meta.url));
  return {
    major,
    common: require('@nestjs/common') as typeof Common,
    core: require('@nestjs/core') as typeof Core,
    fastify: require('@nestjs/platform-fastify') as typeof PlatformFastify,
    terminus: require('@nestjs/terminus') as typeof Terminus,
  };
}

export const NEST_MAJORS: readonly Nest[] = [
  load('10', '../fixtures/nest-10/package.json'),
  load('11', '../../package.json'),
];

import { fileURLToPath } from 'node:url';
import { type Program, type ProgramOptions, startProgram } from './program.js';

/** Starts a program of `test/fixtures`, which imports the built package, in a process of its own. */
export function startFixture(name: string, options: ProgramOptions = {}): Program {
  return startProgram(fileURLToPath(new URL(`../fixtures/${name}.mjs`, import.meta.url)), options);
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Inside the project, so that its packages are found.
const folder = mkdtempSync(join(root, 'test/types/mongoose-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the compiler says about a program that imports `mongoose`, which is the package given. */
function complaints(name: string, program: string): string[] {
  const file = join(folder, 'program.ts');
  writeFileSync(file, program);
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: ['node'],
    paths: { mongoose: [join(root, 'node_modules', name, 'types/index.d.ts')] },
  };
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([file], options));
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

const PROGRAM = `
import mongoose from 'mongoose';
import { mongoosePing } from '../../../src/checks/mongodb.js';
mongoosePing(mongoose.connection);
// @ts-expect-error the connection, not the library
mongoosePing(mongoose);
`;

// The types of mongoose declare a module of that name, so one program holds one major.
it.each(['mongoose7', 'mongoose8'])('the connection of %s fits, the library does not', (name) => {
  expect(complaints(name, PROGRAM)).toEqual([]);
});

it('the program above would complain', () => {
  const wrong = PROGRAM.replace('mongoose.connection', 'mongoose.connections');
  expect(complaints('mongoose8', wrong)).toEqual([
    expect.stringContaining("Property 'getClient' is missing in type 'Connection[]'"),
  ]);
});

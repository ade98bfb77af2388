import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Where the program would be; it is nowhere but in memory. */
const file = `${root}test/types/mongoose-program.ts`;

/** Parsed once for all programs. */
const parsed = new Map<string, ts.SourceFile>();

/** What the compiler says about a program that imports `mongoose`, which is the package given. */
function complaints(name: string, program: string): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: ['node'],
    paths: { mongoose: [`${root}node_modules/${name}/types/index.d.ts`] },
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.getSourceFile = (path, ...how) => {
    const known = path === file ? undefined : parsed.get(path);
    const source = known ?? getSourceFile.call(host, path, ...how);
    if (source !== undefined) parsed.set(path, source);
    return source;
  };
  host.fileExists = (path) => path === file || fileExists(path);
  host.readFile = (path) => (path === file ? program : readFile(path));
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([file], options, host));
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

const PROGRAM = `
import mongoose from 'mongoose';
import { mongodbPool, mongoosePing } from '../../src/checks/mongodb.js';
mongoosePing(mongoose.connection);
mongodbPool(mongoose.connection.getClient());
// @ts-expect-error the connection, not the library
mongoosePing(mongoose);
`;

// The types of mongoose declare a module of that name, so one program holds one major.
it.each(['mongoose7', 'mongoose8'])('the connection of %s fits, the library does not', (name) => {
  expect(complaints(name, PROGRAM)).toEqual([]);
});

it('the program above would complain', () => {
  const wrong = PROGRAM.replace('mongoose.connection)', 'mongoose.connections)');
  expect(complaints('mongoose8', wrong)).toEqual([
    expect.stringContaining("Property 'getClient' is missing in type 'Connection[]'"),
  ]);
});

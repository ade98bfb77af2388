import type { Server as NetServer } from 'node:net';
import { writeWhole } from '../core/write-whole.js';
import { hasProcess } from './process-port.js';

/*
 * Node.js modules that hale needs late or never are taken when they are needed: importing them with hale would be
 * most of the time it takes to import hale.
 */

/** Stops a server from listening, without what http and http2 add to it: they destroy idle connections at once. */
export function stopListening(server: NetServer): Promise<void> {
  const { Server } = process.getBuiltinModule('node:net');
  return new Promise((resolve) => {
    Server.prototype.close.call(server, () => resolve());
  });
}

/** Closes the idle HTTP/1 connections of a server that may be an HTTP/2 one with a fallback. */
export function closeIdleConnections(server: NetServer): void {
  const { Server } = process.getBuiltinModule('node:http');
  // Works on any server that keeps a list of HTTP/1 connections, which an HTTP/2 one with a fallback does.
  Server.prototype.closeIdleConnections.call(server as InstanceType<typeof Server>);
}

/** Whether a file descriptor is a terminal. */
export function isTerminal(descriptor: number): boolean {
  return process.getBuiltinModule('node:tty').isatty(descriptor);
}

/**
 * Writes a text at once, so that the last lines before an exit are not lost; to the console of runtimes that have no
 * files. Never throws.
 */
export function writeNow(descriptor: number, text: string): void {
  if (!hasProcess()) return globalThis.console.error(text.trimEnd());
  const { writeSync } = process.getBuiltinModule('node:fs');
  writeWhole((bytes) => writeSync(descriptor, bytes), text);
}

/** The text of a file. @throws Error of the system when it cannot be read. */
export function readText(file: string): string {
  return process.getBuiltinModule('node:fs').readFileSync(file, 'utf8');
}

/** The name of this machine, container or pod; empty where there is none. */
export function hostName(): string {
  return hasProcess() ? process.getBuiltinModule('node:os').hostname() : '';
}

/** The size in bytes at which V8 gives up growing its heap. */
export function heapLimitBytes(): number {
  return process.getBuiltinModule('node:v8').getHeapStatistics().heap_size_limit;
}

// usage: node small-server.mjs KIND PORT [FOLDER], a server in a process of its own, so that it can be frozen.
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

const [kind, port, folder] = process.argv.slice(2);
const AUTHORIZATION = `Basic ${Buffer.from('hale:sesame-of-http').toString('base64')}`;

/**
 * Answers every question with 10.0.0.7.
 * @param {Buffer} question
 */
function answer(question) {
  const end = question.indexOf(0, 12) + 5;
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 6);
  header.writeUInt16BE(0, 8);
  header.writeUInt16BE(0, 10);
  const record = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 10, 0, 0, 7]);
  return Buffer.concat([header, question.subarray(12, end), record]);
}

/** @type {Record<string, () => void>} */
const start = {
  http() {
    const server = createHttpServer((request, response) => {
      const isKnown = request.headers.authorization === AUTHORIZATION;
      response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/health+json' });
      response.end(JSON.stringify({ status: 'pass' }));
    });
    // Idle connections end soon, so that a test can tell them from ones that were left behind.
    server.keepAliveTimeout = 300;
    server.listen(Number(port), '127.0.0.1');
  },
  banner() {
    createServer((socket) => socket.on('error', () => {}).end('220 ready\r\n')).listen(
      Number(port),
      '127.0.0.1',
    );
  },
  tls() {
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(`${folder}/${name}`));
    createTlsServer({ key, cert }, (socket) => socket.on('error', () => {}).resume())
      .on('tlsClientError', () => {})
      .listen(Number(port), '127.0.0.1');
  },
  dns() {
    const socket = createSocket('udp4');
    socket.on('message', (question, from) => {
      socket.send(answer(question), from.port, from.address);
    });
    socket.bind(Number(port), '127.0.0.1');
  },
};
start[kind ?? '']?.();

import { get } from 'node:http';
import { withSubject } from './process.mjs';

/** Headers that `node:http` writes by itself; the floor gets them the same way. */
const AUTOMATIC = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'];

/** Asks hale's `/livez` once and returns the environment that makes the floor answer the same bytes. */
export async function recordReply() {
  const reply = await withSubject('hale', {}, ({ probeUrl }) => fetchOnce(probeUrl));
  return { BENCH_REPLY: JSON.stringify(reply) };
}

function fetchOnce(url) {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve(toReply(response, Buffer.concat(chunks).toString())));
    });
    request.on('error', reject);
  });
}

function toReply({ statusCode, rawHeaders, headers }, body) {
  const own = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (!AUTOMATIC.includes(name.toLowerCase())) own[name] = rawHeaders[index + 1];
  }
  return { status: statusCode, sendDate: headers.date !== undefined, headers: own, body };
}

import { describe, expect, it } from 'vitest';
import { type ClientKind, currentClient } from '../../src/core/client-source.js';

interface Client {
  ping: () => void;
}

const kind: ClientKind<Client> = {
  option: 'check.client',
  accepted: 'a client',
  isClient: ({ ping }) => typeof ping === 'function',
};
const client: Client = { ping() {} };

describe('currentClient', () => {
  it('gives the client, or what the function gives now', () => {
    let present: Client | null | undefined;
    const current = currentClient(() => present, kind);
    expect(currentClient(client, kind)()).toBe(client);
    expect(current()).toBeUndefined();
    present = null;
    expect(current()).toBeUndefined();
    present = client;
    expect(current()).toBe(client);
  });

  it.each([{}, null, undefined, 'redis://'])('refuses %o at the call', (source) => {
    expect(() => currentClient(source as Client, kind)).toThrow(
      /check\.client must be a client, or a function that gives one, got/,
    );
  });

  it('C4: refuses what the function gives at the run', () => {
    const current = currentClient(() => ({}) as Client, kind);
    expect(current).toThrow('check.client must give a client, gave an object of Object');
  });
});

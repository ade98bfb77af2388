import { describe, expect, it } from 'vitest';
import { type TcpAddress, type TcpConnectOptions, tcpConnect } from '../../src/checks/tcp.js';

describe('tcpConnect', () => {
  it.each([
    [{ port: 0 }, {}, /tcpConnect.address.port must be a whole number from 1 to 65535, got 0/],
    [{ host: '', port: 1 }, {}, /tcpConnect.address.host must be a text/],
    [{ path: '' }, {}, /tcpConnect.address.path must be a text/],
    ['127.0.0.1:80' as never, {}, /tcpConnect.address must be an object, got "127.0.0.1:80"/],
    [{ port: 1 }, { expect: '' }, /tcpConnect.expect must be a text or bytes, not empty, got ""/],
    [{ port: 1 }, { send: '' }, /tcpConnect.send must be a text or bytes, not empty/],
    [{ port: 1 }, { maxBytes: 0 }, /tcpConnect.maxBytes must be a whole number from 1/],
  ] satisfies [TcpAddress, TcpConnectOptions, RegExp][])(
    'names the bad option in %j, %j',
    (address, options, message) => {
      expect(() => tcpConnect(address, options)).toThrow(message);
    },
  );

  it('opens nothing when the run has been aborted already', async () => {
    const { run } = tcpConnect({ port: 1 });
    const signal = AbortSignal.abort(new Error('timed out'));
    await expect(run(signal)).rejects.toThrow('timed out');
  });
});

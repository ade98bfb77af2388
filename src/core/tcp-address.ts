import { integerOption, objectOption, textOption } from './validate.js';

/** Where a TCP client connects to. */
export type TcpAddress =
  | {
      /** A name or an address. @defaultValue '127.0.0.1' */
      readonly host?: string;
      readonly port: number;
    }
  | {
      /** The path of a Unix socket. */
      readonly path: string;
    };

/** An address that is complete. */
export interface ResolvedTcpAddress {
  /** For texts, such as `[::1]:9000`. */
  readonly label: string;
  /** For `connect` of node:net. */
  readonly target: { readonly host: string; readonly port: number } | { readonly path: string };
}

/**
 * Completes an address.
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function tcpAddressOption(option: string, address: TcpAddress): ResolvedTcpAddress {
  objectOption(option, address);
  if ('path' in address) {
    const path = textOption(`${option}.path`, address.path);
    return { label: path, target: { path } };
  }
  const { host = '127.0.0.1', port } = address;
  textOption(`${option}.host`, host);
  integerOption(`${option}.port`, port, { min: 1, max: 65_535 });
  const label = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return { label, target: { host, port } };
}

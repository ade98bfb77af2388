import { packedAssets } from './assets.generated.js';
import type { PageAssets } from './document.js';

/** The script and the style of the page, and their digests as a policy names them. */
export interface UnpackedAssets extends PageAssets {
  readonly scriptHash: string;
  readonly styleHash: string;
}

let unpacked: UnpackedAssets | undefined;

/** Unpacks the assets when they are first asked for: who never looks at the page pays only for their text. */
export function pageAssets(): UnpackedAssets {
  unpacked ??= unpack();
  return unpacked;
}

function unpack(): UnpackedAssets {
  const { inflateRawSync } = process.getBuiltinModule('node:zlib');
  const text = inflateRawSync(Buffer.from(packedAssets, 'base64')).toString();
  return JSON.parse(text) as UnpackedAssets;
}

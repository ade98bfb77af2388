import { publint as examine } from 'publint';
import { formatMessage } from 'publint/utils';
import { verdict } from '../lib/gate.mjs';

/** @type {import('../lib/gate.mjs').Gate} */
export const publint = {
  name: 'package.json (publint --strict)',
  async run(root) {
    const { messages, pkg } = await examine({ pkgDir: root, strict: true, pack: 'npm' });
    const texts = messages.map(
      (message) => `${message.code}: ${formatMessage(message, pkg) ?? ''}`,
    );
    const exported = Object.keys(/** @type {object} */ (pkg['exports'] ?? {}));
    return verdict(texts.length === 0, exported.length, texts.join('\n'));
  },
};

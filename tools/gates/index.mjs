import { attw } from './attw.mjs';
import { dashboard } from './dashboard.mjs';
import { dependencies } from './dependencies.mjs';
import { exportsMap } from './exports.mjs';
import { format } from './format.mjs';
import { knip } from './knip.mjs';
import { lint } from './lint.mjs';
import { lockFile } from './lock-file.mjs';
import { observability } from './observability.mjs';
import { prometheusRule } from './prometheus-rule.mjs';
import { publint } from './publint.mjs';
import { threadEmbed } from './thread-embed.mjs';
import { types } from './types.mjs';

/** Every gate, cheapest first; they need a build. */
export const gates = [
  lockFile,
  threadEmbed,
  exportsMap,
  observability,
  prometheusRule,
  dashboard,
  format,
  lint,
  types,
  dependencies,
  knip,
  publint,
  attw,
];

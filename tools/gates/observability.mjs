import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { verdict } from '../lib/gate.mjs';
import { filesBelow } from '../lib/tree.mjs';
import { RULES, generated } from '../observability.mjs';

const TESTS = 'test/observe/alerts';
const RUNBOOK = 'docs/runbook.md';
const LIST = 'docs/alerts.md';

/**
 * Each alert is tested, explained and listed, and what is made from the rules is up to date.
 * @type {import('../lib/gate.mjs').Gate}
 */
export const observability = {
  name: 'alerts are tested and explained',
  run(root) {
    const alerts = alertsOf(read(root, RULES));
    const tests = filesBelow(path.join(root, TESTS), ['.yml']).map((file) =>
      read(root, path.join(TESTS, file)),
    );
    const headings = namesIn(read(root, RUNBOOK), /^## (Hale\w+)$/gm);
    const listed = namesIn(read(root, LIST), /^\| \[`(Hale\w+)`\]/gm);
    const problems = [
      ...alerts.flatMap(incomplete),
      ...alerts.flatMap(({ name }) => untested(name, tests)),
      ...differences(alerts, headings, RUNBOOK),
      ...differences(alerts, listed, LIST),
      ...stale(root),
    ];
    return Promise.resolve(verdict(problems.length === 0, alerts.length, problems.join('\n')));
  },
};

/**
 * @param {string} root
 * @param {string} file
 */
function read(root, file) {
  const at = path.join(root, file);
  return existsSync(at) ? readFileSync(at, 'utf8') : '';
}

/**
 * @param {string} text
 * @param {RegExp} pattern
 */
function namesIn(text, pattern) {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

/**
 * @typedef {{ name: string, text: string }} Alert
 * @param {string} rules
 * @returns {Alert[]}
 */
function alertsOf(rules) {
  const [, ...texts] = rules.split(/^ +- alert: /m);
  return texts.map((text) => ({ name: /^\w*/.exec(text)?.[0] ?? '', text }));
}

/** @param {Alert} alert */
function incomplete({ name, text }) {
  const wanted = {
    severity: /^ +severity: (?:critical|warning|info)$/m,
    summary: /^ +summary: \S/m,
    description: /^ +description: \S/m,
    runbook_url: new RegExp(`^ +runbook_url: ${RUNBOOK}#${name.toLowerCase()}$`, 'm'),
  };
  return Object.entries(wanted)
    .filter(([, pattern]) => !pattern.test(text))
    .map(([key]) => `${name}: ${key} is missing or wrong`);
}

/**
 * In one test the alert must be quiet, then fire, then be quiet again.
 * @param {string} name
 * @param {string[]} tests
 */
function untested(name, tests) {
  const cases = tests.flatMap((text) => text.split(/^ +- name: /m));
  const wanted = ['quiet', 'fires', 'quiet'];
  const proved = cases.some((text) => wanted.length === progress(expectations(name, text), wanted));
  return proved ? [] : [`${name}: no test in ${TESTS} sees it quiet, firing and quiet again`];
}

/**
 * @param {string} name
 * @param {string} text
 */
function expectations(name, text) {
  const pattern = /alertname: (\w+)\s+eval_time: \S+\s+exp_alerts:(?<none> \[\])?/g;
  return [...text.matchAll(pattern)]
    .filter((match) => match[1] === name)
    .map((match) => (match.groups?.['none'] === undefined ? 'fires' : 'quiet'));
}

/**
 * How many of the wanted states come one after another.
 * @param {string[]} seen
 * @param {string[]} wanted
 */
function progress(seen, wanted) {
  return seen.reduce((done, state) => (state === wanted[done] ? done + 1 : done), 0);
}

/**
 * @param {Alert[]} alerts
 * @param {string[]} named
 * @param {string} file
 */
function differences(alerts, named, file) {
  const names = alerts.map(({ name }) => name);
  return [
    ...names.filter((name) => !named.includes(name)).map((name) => `${name} is not in ${file}`),
    ...named.filter((name) => !names.includes(name)).map((name) => `${file}: no rule for ${name}`),
  ];
}

/** @param {string} root */
function stale(root) {
  return generated(root)
    .filter(({ file, text }) => read(root, file) !== text)
    .map(({ file }) => `${file} is stale: run node tools/observability.mjs`);
}

import type { JsonValue } from '../core/check.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration in words as short as a glance needs: `0.4 ms`, `1.3 s`, `3 min 20 s`, `2 d 4 h`. */
export function duration(ms: number): string {
  if (ms < 10) return `${round(ms, 1)} ms`;
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${round(ms / SECOND, 1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return two(ms, [MINUTE, 'min'], [SECOND, 's']);
  if (ms < DAY) return two(ms, [HOUR, 'h'], [MINUTE, 'min']);
  return two(ms, [DAY, 'd'], [HOUR, 'h']);
}

function two(
  ms: number,
  [big, bigName]: [number, string],
  [small, name]: [number, string],
): string {
  const rest = Math.floor((ms % big) / small);
  const head = `${Math.floor(ms / big)} ${bigName}`;
  return rest === 0 ? head : `${head} ${rest} ${name}`;
}

/** A duration that is seen growing: in whole seconds, or it would flicker. */
export function grownDuration(ms: number): string {
  return ms < SECOND ? '0 s' : duration(Math.floor(ms / SECOND) * SECOND);
}

/** A size, in the binary units that limits of containers are given in. */
export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${round(value, value < 10 && unit > 0 ? 1 : 0)} ${units[unit] ?? 'B'}`;
}

/** A share from 0 to 1 as per cent. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** How many, with the noun in the right number. */
export function plural(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}

/** The time of day of an ISO 8601 time in UTC; with its date when it is another day than `at`. */
export function timeOfDay(iso: string, at: string): string {
  const time = iso.slice(11, 19);
  return iso.slice(0, 10) === at.slice(0, 10) ? time : `${iso.slice(0, 10)} ${time}`;
}

/** Milliseconds since the epoch of an ISO 8601 time; 0 when it is none. */
export function wallMs(iso: string): number {
  // A parser, not a clock: the time is the caller's.
  // oxlint-disable-next-line eslint/no-restricted-globals
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? 0 : ms;
}

/** An ISO 8601 time in UTC, some milliseconds later. */
export function isoPlus(iso: string, ms: number): string {
  // A formatter, not a clock.
  // oxlint-disable-next-line eslint/no-restricted-globals
  return new Date(wallMs(iso) + ms).toISOString();
}

/** How long ago something was; never negative, since clocks of two threads differ. */
export function agoMs(iso: string, at: string): number {
  return Math.max(0, wallMs(at) - wallMs(iso));
}

/** What a check has seen, on one line: an object as its fields in turn. */
export function shortValue(value: JsonValue | undefined, unit = ''): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map((item) => shortValue(item as JsonValue)).join(', ');
  if (typeof value === 'object') return fieldsOf(value, unit);
  return typeof value === 'number'
    ? amount(value, unit)
    : `${value}${unit === '' ? '' : ` ${unit}`}`;
}

/** A number with its unit; bytes, milliseconds and ratios in the words people read. */
export function amount(value: number, unit: string): string {
  if (unit === 'bytes') return bytes(value);
  if (unit === 'ms') return duration(value);
  if (unit === 'ratio') return percent(value);
  return `${round(value, 3)}${unit === '' ? '' : ` ${unit}`}`;
}

/** The fields of an object that say something, each with a unit that its name tells. */
export function entriesOf(
  value: JsonValue | undefined,
  unit = '',
): readonly (readonly [string, string])[] {
  if (value === undefined || value === null || typeof value !== 'object' || Array.isArray(value))
    return [];
  return Object.entries(value)
    .filter(([, field]) => field !== null)
    .map(([name, field]) => {
      if (typeof field !== 'number')
        return [plainName(name), shortValue(field as JsonValue)] as const;
      return [plainName(name), amount(field, unitOf(name, unit))] as const;
    });
}

function fieldsOf(value: JsonValue, unit: string): string {
  return entriesOf(value, unit)
    .map(([name, field]) => `${name} ${field}`)
    .join(' · ');
}

function unitOf(name: string, unit: string): string {
  if (name.endsWith('Ms')) return 'ms';
  if (name.endsWith('Bytes')) return 'bytes';
  if (name === 'share' || name.endsWith('Share')) return 'ratio';
  return unit === 'bytes' || unit === 'ms' || unit === 'ratio' ? unit : '';
}

function plainName(name: string): string {
  return name
    .replace(/(?:Ms|Bytes)$/, '')
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function round(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}

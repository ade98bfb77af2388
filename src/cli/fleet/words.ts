import type { FleetEvent, FleetInstance, FleetView } from '../../fleet.js';
import { duration, plural } from '../../page/text.js';
import type { Tone } from '../status/paint.js';

/** The columns of an instance, as texts. What it says of itself comes from elsewhere: it must be escaped. */
export interface InstanceWords {
  readonly tone: Tone;
  readonly state: string;
  readonly name: string;
  readonly says: string;
  readonly release: string;
  readonly age: string;
  readonly heartbeat: string;
  readonly token: string;
}

const TONES = { up: 'pass', suspect: 'warn', down: 'fail', unknown: 'unknown' } as const;

/** An instance in words. */
export function instanceWords(instance: FleetInstance): InstanceWords {
  const { name, state, held, info, ageMs, silentMs, phi, token } = instance;
  return {
    tone: toneOf(instance),
    state: held ? 'held' : state,
    name,
    says: saysOf(instance),
    release: [info.version, info.releaseId].filter((text) => text !== undefined).join(' '),
    age: duration(ageMs),
    heartbeat: `${duration(silentMs)} ago${phi >= 1 ? `, phi ${phi.toFixed(1)}` : ''}`,
    token: String(token),
  };
}

/** One that is up but not ready is no green one. */
function toneOf({ state, info }: FleetInstance): Tone {
  if (state !== 'up' || info.status === undefined) return TONES[state];
  return info.status === 'fail' && info.phase !== 'running' ? 'busy' : info.status;
}

function saysOf({ info }: FleetInstance): string {
  const { phase, status, reason } = info;
  if (status === undefined) return phase ?? '';
  const ready = { pass: 'ready', warn: 'ready', fail: 'not ready' }[status];
  return reason === undefined || reason === 'ok' ? ready : `${ready}: ${reason}`;
}

const ORDER = ['down', 'suspect', 'unknown', 'up'];

/** The worst first, then by name. */
export function worstFirst(instances: readonly FleetInstance[]): FleetInstance[] {
  const rank = ({ state, info }: FleetInstance): number =>
    ORDER.indexOf(state) * 10 + (info.status === 'fail' ? 0 : info.status === 'warn' ? 1 : 2);
  return instances.toSorted((a, b) => rank(a) - rank(b));
}

/** How the fleet is, in a line. */
export function headline(
  { total, counts, held }: FleetView,
  list: readonly FleetInstance[],
): { tone: Tone; text: string } {
  if (counts.unknown > 0)
    return { tone: 'unknown', text: `${plural(total, 'instance')}, state unknown` };
  if (total === 0) return { tone: 'unknown', text: 'no instances' };
  const unready = list.filter(({ state, info }) => state === 'up' && info.status === 'fail').length;
  const parts = [
    `${counts.up} up${unready === 0 ? '' : ` (${unready} not ready)`}`,
    ...(counts.suspect - held > 0 ? [`${counts.suspect - held} suspect`] : []),
    ...(held > 0 ? [`${held} held`] : []),
    ...(counts.down > 0 ? [`${counts.down} down`] : []),
  ];
  const tone = counts.down > 0 ? 'fail' : counts.suspect + unready > 0 ? 'warn' : 'pass';
  return { tone, text: parts.join(', ') };
}

/** What stands in the way of believing it. */
export function notes({ registry, massLoss, unwell }: FleetView): string[] {
  return [
    ...(registry === 'lost' ? ['The registry does not answer: nothing is known.'] : []),
    ...(registry === 'settling'
      ? ['The registry has been watched for less than a ttl: nobody is declared down yet.']
      : []),
    ...(massLoss === undefined
      ? []
      : [
          `${massLoss.vanished} of ${massLoss.total} vanished at once: more likely this observer or the registry fails. Nobody is declared down.`,
        ]),
    ...(unwell >= 1 ? ['This observer is slow: its time-outs are wider.'] : []),
  ];
}

/** An event in a line. */
export function eventWords(event: FleetEvent): string {
  if ('instance' in event) {
    const { name, says, release, heartbeat } = instanceWords(event.instance);
    const heard = ['suspect', 'down', 'withheld'].includes(event.kind)
      ? `heartbeat ${heartbeat}`
      : '';
    return [event.kind, name, says, release, heard].filter((text) => text !== '').join('  ');
  }
  if (event.kind === 'foreign') return `foreign  ${event.key}`;
  if (event.kind === 'mass_loss') return `mass_loss  ${event.vanished} of ${event.total}`;
  if (event.kind === 'mass_loss_over')
    return `mass_loss_over  ${event.confirmed ? 'taken for real' : 'enough came back'}`;
  return event.kind;
}

import type { Diagnosis } from '../core/diagnosis.js';
import type { KernelState, StackFrame, StallCause } from '../core/probe-host.js';
import { frameText } from './headline.js';
import { type Html, html } from './html.js';
import { facts, foreign, growing, timeAt } from './pieces.js';
import { agoMs, duration } from './text.js';

/** The last time the main loop stood still, and what held it. */
export function stallSection({ stall, at }: Diagnosis): Html {
  if (stall === undefined) return html``;
  const { blockedForMs, ongoing, cause } = stall;
  const when = ongoing
    ? html`Blocked since ${timeAt(stall.at, at)}, for ${growing(blockedForMs)}.`
    : html`Blocked at ${timeAt(stall.at, at)} for ${duration(blockedForMs)},
      ${growing(agoMs(stall.at, at))} ago. It turns again.`;
  return html`<p>${when}</p>
    ${causeOf(cause)}`;
}

function causeOf(cause: StallCause): Html {
  switch (cause.kind) {
    case 'javascript':
      return stack(cause.frames);
    case 'native':
      return html`<p>It is in native code, which no stack shows.</p>
        ${kernel(cause.kernel)}${cause.frames !== undefined && stack(cause.frames)}`;
    case 'unavailable':
      return html`<p>No stack: ${foreign(cause.why)}</p>`;
  }
}

function stack(frames: readonly StackFrame[]): Html {
  if (frames.length === 0) return html`<p>The stack was empty.</p>`;
  const lines = frames.map((frame) => html`<li><code>${foreign(frameText(frame))}</code></li>`);
  return html`<ol class="stack" aria-label="Stack of the main thread, innermost first">
    ${lines}
  </ol>`;
}

function kernel({ state, wchan, syscall, syscallName, childProcesses = [] }: KernelState): Html {
  return facts([
    ['State of the thread', state],
    ['Waits in', wchan],
    ['System call', syscallName ?? syscall],
    [
      'Child processes',
      childProcesses.length === 0 ? undefined : foreign(childProcesses.join(', ')),
    ],
  ]);
}

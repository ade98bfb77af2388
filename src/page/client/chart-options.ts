import uPlot from 'uplot';
import type { ChartData, ChartLine } from './chart-data.js';

const FONT = '12px system-ui, sans-serif';

/** How a chart looks; its colours follow the style sheet, also when that changes from light to dark. */
export function optionsOf(data: ChartData, element: HTMLElement): uPlot.Options {
  const { small = false, most = 0, lines } = data;
  const several = lines.length > 1 && !small;
  return {
    width: element.clientWidth,
    height: element.clientHeight - (several ? 26 : 0),
    tzDate: (at) => uPlot.tzDate(new Date(at * 1_000), 'Etc/UTC'),
    padding: small ? [3, 3, 3, 3] : [8, 8, 0, 0],
    cursor: { show: !small, drag: { x: false, y: false } },
    legend: { show: several, live: false },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(most, (max ?? 0) * 1.1, 1e-3)] } },
    axes: small ? [{ show: false }, { show: false }] : [timeAxis(), valueAxis(data)],
    series: [{}, ...lines.map((line) => seriesOf(line, small))],
  };
}

function seriesOf({ label, colour, look }: ChartLine, small: boolean): uPlot.Series {
  const stroke = (): string => colourOf(colour);
  if (look === 'points') {
    const points = { show: true, size: small ? 4 : 6, fill: stroke };
    return { label, stroke, paths: () => null, points };
  }
  const dash = look === 'dashed' ? { dash: [4, 4] } : {};
  return {
    label,
    stroke,
    width: small ? 1.25 : 1.5,
    points: { show: false },
    spanGaps: false,
    ...dash,
  };
}

function timeAxis(): uPlot.Axis {
  return {
    ...axis(),
    space: 70,
    size: 24,
    values: (_plot, splits, _axis, _space, step) =>
      splits.map((at) => new Date(at * 1_000).toISOString().slice(11, step < 60 ? 19 : 16)),
  };
}

function valueAxis({ say, steps }: ChartData): uPlot.Axis {
  const incrs = steps === undefined ? {} : { incrs: [...steps] };
  return { ...axis(), ...incrs, space: 32, size: 62, values: (_plot, splits) => splits.map(say) };
}

function axis(): uPlot.Axis {
  const line = (): string => colourOf('--rule');
  return {
    font: FONT,
    stroke: () => colourOf('--muted'),
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
  };
}

function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

import uPlot from 'uplot';
import type { Diagnosis } from '../../core/diagnosis.js';
import { type ChartData, dataOf } from './chart-data.js';
import { optionsOf } from './chart-options.js';

/** The lines on the page. */
export interface Charts {
  /** To be called after the page was brought up to date. */
  show(diagnosis: Diagnosis): void;
}

interface Drawn {
  readonly plot: uPlot;
  /** What it was made for: another kind, check or set of lines needs another one. */
  readonly made: string;
}

/** Creates them. A chart is made when it is first seen: of two hundred checks nobody sees each. */
export function createCharts(): Charts {
  const plots = new Map<HTMLElement, Drawn>();
  const seen = new Set<Element>();
  let last: Diagnosis | undefined;

  function draw(element: HTMLElement): void {
    const data = last && dataOf(element.dataset['chart'] ?? '', element.dataset['of'] ?? '', last);
    const made =
      data &&
      `${element.dataset['chart']} ${element.dataset['of']} ${data.lines.map(({ label }) => label).join()}`;
    const old = plots.get(element);
    if (old !== undefined && old.made !== made) remove(element, old);
    if (data === undefined || made === undefined || element.clientWidth === 0) return;
    if (old?.made === made) old.plot.setData(columns(data));
    else
      plots.set(element, {
        made,
        plot: new uPlot(optionsOf(data, element), columns(data), element),
      });
  }

  function remove(element: HTMLElement, { plot }: Drawn): void {
    plot.destroy();
    plots.delete(element);
  }

  const visible = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) seen.add(target);
      else seen.delete(target);
      if (isIntersecting && target instanceof HTMLElement) draw(target);
    }
  });
  const sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const drawn = plots.get(target as HTMLElement);
      const { clientWidth: width, clientHeight: height } = target;
      if (drawn !== undefined && width > 0) drawn.plot.setSize(sizeOf(drawn.plot, width, height));
    }
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    for (const { plot } of plots.values()) plot.redraw();
  });

  return {
    show(diagnosis) {
      last = diagnosis;
      for (const [element, drawn] of plots) if (!element.isConnected) remove(element, drawn);
      for (const element of seen) if (!element.isConnected) seen.delete(element);
      for (const element of document.querySelectorAll<HTMLElement>('.chart')) {
        if (seen.has(element)) draw(element);
        visible.observe(element);
        sizes.observe(element);
      }
    },
  };
}

function columns({ x, lines }: ChartData): uPlot.AlignedData {
  return [x, ...lines.map(({ y }) => y)] as uPlot.AlignedData;
}

/** The legend stands below and takes its own room. */
function sizeOf({ root }: uPlot, width: number, height: number): { width: number; height: number } {
  const legend = root.querySelector<HTMLElement>('.u-legend')?.offsetHeight ?? 0;
  return { width, height: Math.max(20, height - legend) };
}

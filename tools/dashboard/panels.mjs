/**
 * The panels of Grafana that the dashboard uses, in the shape of its schema from version 10 on.
 * @typedef {object} Query
 * @property {string} expr PromQL; $own stands for the label matchers of the dashboard's variables.
 * @property {string} legend
 *
 * @typedef {object} Panel
 * @property {string} title
 * @property {string} about What it tells, for people who hover over it.
 * @property {Query[]} queries
 * @property {number} width Of 24 columns.
 * @property {(panel: Panel) => object} shape
 * @property {string} [unit] A unit of Grafana. @default 'short'
 */

export const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };
const HEIGHT = 8;
const OWN = 'namespace=~"$namespace",job=~"$job",instance=~"$instance"';

const GREEN = 'green';
const YELLOW = 'yellow';
const RED = 'red';

const LEGEND = { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] };

/** @param {Panel} panel */
export const lines = ({ unit = 'short' }) => ({
  type: 'timeseries',
  fieldConfig: {
    defaults: { unit, min: 0, custom: { drawStyle: 'line', fillOpacity: 10, showPoints: 'never' } },
    overrides: [],
  },
  options: {
    legend: LEGEND,
    tooltip: { mode: 'multi', sort: 'desc' },
  },
});

/** @param {Panel} panel */
export const stacked = (panel) => {
  const shape = lines(panel);
  Object.assign(shape.fieldConfig.defaults.custom, {
    fillOpacity: 60,
    stacking: { mode: 'normal', group: 'A' },
  });
  return shape;
};

/** Only of use in the other mode, but Grafana wants them. */
const OPACITY = { fill: 'dark-orange', exponent: 0.5 };

/** @param {Panel} panel */
export const heatmap = ({ unit = 'short' }) => ({
  type: 'heatmap',
  fieldConfig: { defaults: {}, overrides: [] },
  options: {
    calculate: false,
    cellGap: 1,
    yAxis: { unit },
    color: { mode: 'scheme', scheme: 'Oranges', steps: 64, reverse: false, ...OPACITY },
    exemplars: { color: 'rgba(255,0,255,0.7)' },
    legend: { show: true },
    showValue: 'never',
    tooltip: { mode: 'single', yHistogram: true },
  },
});

/**
 * Values of 0 to 1, or -1, as coloured times.
 * @param {Record<string, [text: string, colour: string]>} meanings
 */
const states = (meanings) => () => ({
  type: 'state-timeline',
  fieldConfig: {
    defaults: {
      mappings: [
        {
          type: 'value',
          options: Object.fromEntries(
            Object.entries(meanings).map(([value, [text, color]], index) => [
              value,
              { text, color, index },
            ]),
          ),
        },
      ],
      custom: { fillOpacity: 80, lineWidth: 0 },
    },
    overrides: [],
  },
  options: {
    mergeValues: true,
    showValue: 'never',
    rowHeight: 0.9,
    legend: LEGEND,
    tooltip: { mode: 'single', sort: 'none' },
  },
});

export const readiness = states({
  1: ['ready', GREEN],
  0.5: ['degraded', YELLOW],
  0: ['not ready', RED],
});
export const liveness = states({ 1: ['alive', GREEN], 0: ['stuck', RED] });
export const verdicts = states({
  1: ['pass', GREEN],
  0.5: ['warn', YELLOW],
  0: ['fail', RED],
  '-1': ['no result', 'purple'],
});
export const holders = states({ 1: ['held', GREEN], 0: ['not held', 'dark-blue'] });

/**
 * Rows of panels as Grafana places them: 24 columns wide.
 * @param {{ title: string, panels: Panel[] }[]} rows
 */
export function place(rows) {
  let y = 0;
  let id = 0;
  return rows.flatMap(({ title, panels }) => {
    const row = {
      id: (id += 1),
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: 24, h: 1 },
    };
    y += 1;
    let x = 0;
    const placed = panels.map((panel) => {
      if (x + panel.width > 24) [x, y] = [0, y + HEIGHT];
      const gridPos = { x, y, w: panel.width, h: HEIGHT };
      x += panel.width;
      return { id: (id += 1), ...drawn(panel), gridPos };
    });
    y += HEIGHT;
    return [row, ...placed];
  });
}

/** @param {Panel} panel */
function drawn(panel) {
  const shape = panel.shape(panel);
  const format = 'type' in shape && shape.type === 'heatmap' ? 'heatmap' : 'time_series';
  return {
    title: panel.title,
    description: panel.about,
    datasource: DATASOURCE,
    ...shape,
    targets: panel.queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: DATASOURCE,
      expr: expr.replaceAll('$own', OWN),
      legendFormat: legend,
      range: true,
      format,
    })),
  };
}

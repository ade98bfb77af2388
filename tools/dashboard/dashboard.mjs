import { DATASOURCE, place } from './panels.mjs';
import { ROWS } from './rows.mjs';

/** Grafana 10 migrates from this version on. */
const SCHEMA_VERSION = 38;

/**
 * A variable with the values of a label; everything by default, also where the label is not there.
 * @param {string} name
 * @param {string} series
 */
function labelVariable(name, series) {
  const query = `label_values(${series}, ${name})`;
  return {
    name,
    type: 'query',
    datasource: DATASOURCE,
    definition: query,
    query: { query, refId: name },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { text: ['All'], value: ['$__all'] },
  };
}

/** The dashboard as Grafana imports it. */
export const dashboard = {
  uid: 'hale',
  title: 'hale',
  description: 'Readiness, liveness, checks, event loop, drain and leases of services with hale.',
  tags: ['hale'],
  schemaVersion: SCHEMA_VERSION,
  version: 1,
  editable: true,
  graphTooltip: 1,
  refresh: '30s',
  time: { from: 'now-3h', to: 'now' },
  timezone: '',
  templating: {
    list: [
      { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' },
      labelVariable('namespace', 'hale_build_info'),
      labelVariable('job', 'hale_build_info{namespace=~"$namespace"}'),
      labelVariable('instance', 'hale_build_info{namespace=~"$namespace",job=~"$job"}'),
      labelVariable('check', 'hale_check_status{namespace=~"$namespace",job=~"$job"}'),
    ],
  },
  annotations: { list: [] },
  links: [],
  panels: place(ROWS),
};

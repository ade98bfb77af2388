/**
 * The dashboard as Grafana's own types have it, for the panels that hale uses. A value of an enum is a literal here, as in JSON.
 * @see https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/
 */
import type * as grafana from '@grafana/schema';
import type * as heatmap from '@grafana/schema/dist/esm/raw/composable/heatmap/panelcfg/x/HeatmapPanelCfg_types.gen';
import type * as states from '@grafana/schema/dist/esm/raw/composable/statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen';
import type * as lines from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';

type Json<T> = T extends string
  ? `${T}`
  : T extends number
    ? number extends T
      ? number
      : `${T}` extends `${infer N extends number}`
        ? N
        : never
    : T extends object
      ? { [K in keyof T]: Json<T[K]> }
      : T;

/** Units are ids of Grafana's list of value formats; those that hale has a use for. */
type Unit = 'short' | 's' | 'ms' | 'bytes' | 'percentunit' | 'reqps' | 'none';

/** Grafana's Prometheus data source ships its types elsewhere. */
interface PrometheusQuery {
  refId: string;
  datasource: DataSource;
  expr: string;
  legendFormat: string;
  range: true;
  format: 'time_series' | 'heatmap';
}

/** The variable, so that whoever imports the dashboard chooses their own Prometheus. */
interface DataSource {
  type: 'prometheus';
  uid: '${datasource}';
}

type GridPos = Required<Omit<grafana.GridPos, 'static'>>;

interface Panel<Type extends string, Options, Custom> {
  id: number;
  type: Type;
  title: string;
  description: string;
  datasource: DataSource;
  gridPos: GridPos;
  fieldConfig: Json<Omit<grafana.FieldConfigSource, 'defaults'>> & {
    defaults: Json<Omit<grafana.FieldConfig, 'custom' | 'unit'>> & {
      unit?: Unit;
      custom?: Json<Custom>;
    };
  };
  options: Json<Options>;
  targets: PrometheusQuery[];
}

interface Row extends Omit<grafana.RowPanel, 'panels' | 'gridPos'> {
  gridPos: GridPos;
  panels: [];
}

/** The list of the dashboard's variables; `definition` is what Grafana shows of a query. */
type Variable = Json<Omit<grafana.VariableModel, 'datasource'>> & {
  datasource?: DataSource;
  definition?: string;
};

export interface HaleDashboard extends Json<
  Omit<grafana.Dashboard, 'panels' | 'templating' | 'schemaVersion'>
> {
  uid: string;
  schemaVersion: 38;
  templating: { list: Variable[] };
  panels: (
    | Row
    | Panel<'timeseries', lines.Options, lines.FieldConfig>
    | Panel<'heatmap', heatmap.Options, heatmap.FieldConfig>
    | Panel<'state-timeline', states.Options, states.FieldConfig>
  )[];
}

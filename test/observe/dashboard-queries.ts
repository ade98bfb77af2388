import { dashboard } from '../../tools/dashboard/dashboard.mjs';

/** One query of a panel, as Grafana would send it. */
export interface PanelQuery {
  readonly panel: string;
  readonly expr: string;
}

/** Grafana's own variables, and the dashboard's at their default, which is all. */
const VARIABLES: Readonly<Record<string, string>> = {
  $__rate_interval: '5s',
  $namespace: '.*',
  $job: '.*',
  $instance: '.*',
  $check: '.*',
};

interface PlacedPanel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** Every query of the dashboard with its variables filled in. */
export function dashboardQueries(): readonly PanelQuery[] {
  return (dashboard.panels as readonly PlacedPanel[]).flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ panel: title, expr: filledIn(expr) })),
  );
}

function filledIn(expr: string): string {
  return Object.entries(VARIABLES).reduce(
    (text, [variable, value]) => text.replaceAll(variable, value),
    expr,
  );
}

/**
 * What the Prometheus operator (v0.76 and later) lets a PrometheusRule hold, as a JSON schema. Fields it does not know
 * are refused here, as `kubectl apply` refuses them; the operator would drop them without a word.
 * Source: the CustomResourceDefinition prometheusrules.monitoring.coreos.com, and its field reference
 * https://prometheus-operator.dev/docs/api-reference/api/#monitoring.coreos.com/v1.PrometheusRule
 */

const NAME = { type: 'string', minLength: 1 };
const TEXTS = { type: 'object', additionalProperties: { type: 'string' } };
/** Units once each and in order of size: 1h30m, but neither 90 m nor 30m1h. */
const DURATION = {
  type: 'string',
  minLength: 1,
  pattern: `^(0|${['y', 'w', 'd', 'h', 'm', 's', 'ms'].map((unit) => `(\\d+${unit})?`).join('')})$`,
};

/** @param {Record<string, object>} properties @param {string[]} required */
const object = (properties, required) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const SHARED = { expr: { type: ['string', 'integer'] }, labels: TEXTS };
const ALERT = object(
  { ...SHARED, alert: NAME, for: DURATION, keep_firing_for: DURATION, annotations: TEXTS },
  ['alert', 'expr'],
);
const RECORD = object({ ...SHARED, record: NAME }, ['record', 'expr']);

const GROUP = object(
  {
    name: NAME,
    interval: DURATION,
    query_offset: DURATION,
    limit: { type: 'integer' },
    labels: TEXTS,
    partial_response_strategy: { enum: ['abort', 'warn', 'ABORT', 'WARN', ''] },
    rules: {
      type: 'array',
      items: { anyOf: [ALERT, RECORD] },
    },
  },
  ['name'],
);

const LABEL_VALUE = {
  type: 'string',
  maxLength: 63,
  pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$',
};

export const PROMETHEUS_RULE = object(
  {
    apiVersion: { const: 'monitoring.coreos.com/v1' },
    kind: { const: 'PrometheusRule' },
    metadata: object(
      {
        name: { type: 'string', maxLength: 253, pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$' },
        namespace: NAME,
        labels: { type: 'object', additionalProperties: LABEL_VALUE },
        annotations: TEXTS,
      },
      ['name'],
    ),
    spec: object({ groups: { type: 'array', items: GROUP } }, ['groups']),
  },
  ['apiVersion', 'kind', 'metadata', 'spec'],
);

import { type HrTime, ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { PrometheusMetric } from './telemetry.ts';

type Labels = PrometheusMetric['values'][number]['labels'];

/** The metrics of Prometheus in the shape of OpenTelemetry, under the same names. So both tell the same. */
export function metricProducer(read: () => Promise<PrometheusMetric[]>): MetricProducer {
  const startTime = hrTimeOf(Date.now());
  return {
    collect: async (): Promise<CollectionResult> => {
      const endTime = hrTimeOf(Date.now());
      const metrics = (await read()).flatMap((metric) => convert(metric, { startTime, endTime }));
      const scopeMetrics = [{ scope: { name: 'kontor' }, metrics }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

type Times = { startTime: HrTime; endTime: HrTime };

function convert(metric: PrometheusMetric, times: Times): MetricData[] {
  const base = {
    descriptor: {
      name: metric.name,
      description: metric.help,
      unit: /_(seconds|bytes)(_total)?$/.exec(metric.name)?.[1]?.replace('seconds', 's').replace('bytes', 'By') ?? '1',
      valueType: ValueType.DOUBLE,
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const dataPoints = metric.values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ ...times, attributes: attributesOf(labels), value }));
  // Compared as text, because `prom-client` declares the kind as an enum that it does not export at run time.
  if (metric.type === 'gauge') return [{ ...base, dataPointType: DataPointType.GAUGE, dataPoints }];
  if (metric.type === 'counter') return [{ ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }];
  if (metric.type === 'histogram')
    return [{ ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(metric, times) }];
  return [];
}

/** Prometheus counts each bucket with those below it, OpenTelemetry each bucket alone. */
function histogramsOf({ name, values }: PrometheusMetric, times: Times) {
  const series = Map.groupBy(values, ({ labels: { le: _le, ...labels } }) => JSON.stringify(attributesOf(labels)));
  return [...series].map(([labels, parts]) => {
    const buckets = parts.filter(({ metricName }) => metricName === `${name}_bucket`);
    const finite = buckets.filter(({ labels: { le } }) => le !== '+Inf');
    const total = (part: string) => parts.find(({ metricName }) => metricName === `${name}_${part}`)?.value ?? 0;
    const below = finite.map(({ value }) => value);
    const counts = [...below, total('count')].map((value, at) => value - (below[at - 1] ?? 0));
    const boundaries = finite.map(({ labels: { le } }) => Number(le));
    const value = { buckets: { boundaries, counts }, sum: total('sum'), count: total('count') };
    return { ...times, attributes: JSON.parse(labels) as Record<string, string>, value };
  });
}

function attributesOf(labels: Labels): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
}

function hrTimeOf(milliseconds: number): HrTime {
  return [Math.floor(milliseconds / 1_000), (milliseconds % 1_000) * 1_000_000];
}

import type { Server } from '../http/http.ts';

/** Sends traces and metrics to an OpenTelemetry collector. */
export type Telemetry = {
  /** Makes each request a span, and continues the trace of its caller. */
  watchRequests(server: Server): void;
  /** Exports the metrics of this process regularly. */
  exportMetrics(read: () => Promise<PrometheusMetric[]>): void;
  lost(): Lost;
  /** Sends the waiting spans and metrics, but gives up after two seconds. */
  close(): Promise<void>;
};

/** The spans and the exports of metrics that the collector did not get since the start. */
export type Lost = { spans: number; metrics: number };

/** A metric as `prom-client` reports it. */
export type PrometheusMetric = {
  name: string;
  help: string;
  type: unknown;
  values: { value: number; metricName?: string; labels: Partial<Record<string, string | number>> }[];
};

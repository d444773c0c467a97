import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufMetrics } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import packageJson from '../../../package.json' with { type: 'json' };
import { traceBy } from '../lib/traced.ts';
import type { Logger } from '../platform/log.ts';
import type { TelemetryExport } from '../settings/telemetry-settings.ts';
import { countedSpans, isFailed } from './counted-spans.ts';
import { metricProducer } from './exported-metrics.ts';
import { openTracer, watchRequests } from './spans.ts';
import type { Lost, PrometheusMetric, Telemetry } from './telemetry.ts';

/** How long a stop waits for the collector. */
const closeMsMax = 2_000;

export function openTelemetryExport(settings: TelemetryExport, log: Logger): Telemetry {
  const { serviceName, resource: further } = settings;
  const resource = resourceFromAttributes({
    'service.instance.id': randomUUID(),
    'service.version': packageJson.version,
    ...further,
    'service.name': serviceName,
  });
  const losses = openLosses(log);
  const traces = settings.tracesUrl === undefined ? undefined : openTraces(settings, resource, losses);
  const meters: MeterProvider[] = [];
  return {
    watchRequests: (server) => {
      if (traces !== undefined) watchRequests(server, traces.tracer);
    },
    exportMetrics: (read) => {
      if (settings.metricsUrl !== undefined) meters.push(openMeters(settings, { resource, losses, read }));
    },
    lost: () => ({ ...losses.counts }),
    close: async () => {
      traces?.end();
      const closings = [traces?.provider, ...meters].map((provider) => provider?.shutdown().catch(() => {}));
      await Promise.race([Promise.all(closings), sleep(closeMsMax, undefined, { ref: false })]);
    },
  };
}

function openTraces(settings: TelemetryExport, resource: Resource, losses: Losses) {
  const Exporter = settings.protocol === 'http/json' ? JsonTraces : ProtobufTraces;
  const processor = countedSpans({
    exporter: new Exporter(exporterOptions(settings, settings.tracesUrl)),
    delayMs: settings.spanDelayMs,
    spansMax: settings.spansMax,
    onLost: (spans) => losses.add('spans', spans),
  });
  const provider = new TracerProvider({ resource, sampler: samplerOf(settings), spanProcessors: [processor] });
  const tracer = provider.getTracer('kontor', packageJson.version);
  return { provider, tracer, end: traceBy(openTracer(tracer)) };
}

type Metered = { resource: Resource; losses: Losses; read: () => Promise<PrometheusMetric[]> };

function openMeters(settings: TelemetryExport, { resource, losses, read }: Metered): MeterProvider {
  const Exporter = settings.protocol === 'http/json' ? JsonMetrics : ProtobufMetrics;
  const exporter: PushMetricExporter = new Exporter(exporterOptions(settings, settings.metricsUrl));
  const reader = new PeriodicExportingMetricReader({
    exporter: {
      export: (metrics, done) =>
        exporter.export(metrics, (result) => {
          if (isFailed(result)) losses.add('metrics', 1);
          done(result);
        }),
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    },
    exportIntervalMillis: settings.metricsEveryMs,
    exportTimeoutMillis: Math.min(settings.timeoutMs, settings.metricsEveryMs),
    metricProducers: [metricProducer(read)],
  });
  return new MeterProvider({ resource, readers: [reader] });
}

function exporterOptions({ headers, timeoutMs, isCompressed }: TelemetryExport, url: string | undefined) {
  // The constants of the compression are an enum of a package that we do not import.
  const compression = (isCompressed ? 'gzip' : 'none') as never;
  return { headers, timeoutMillis: timeoutMs, compression, ...(url !== undefined && { url }) };
}

function samplerOf({ sampler, sampleRatio }: TelemetryExport): Sampler {
  const root = sampler.endsWith('always_off')
    ? new AlwaysOffSampler()
    : sampler.endsWith('traceidratio')
      ? new TraceIdRatioBasedSampler(sampleRatio)
      : new AlwaysOnSampler();
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

type Losses = { counts: Lost; add(what: keyof Lost, count: number): void };

const linesEveryMs = 600_000;

/** Counts the spans and metrics that the collector did not get. Logs the counts at most once in ten minutes. */
function openLosses(log: Logger): Losses {
  const counts: Lost = { spans: 0, metrics: 0 };
  let loggedAt = Number.NEGATIVE_INFINITY;
  return {
    counts,
    add: (what, count) => {
      counts[what] += count;
      if (performance.now() - loggedAt < linesEveryMs) return;
      loggedAt = performance.now();
      log.warn({ lost: { ...counts } }, 'telemetry is lost: the collector does not take it');
    },
  };
}

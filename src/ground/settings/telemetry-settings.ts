import type { SettingsReader } from './settings-reader.ts';

/** Where and how to send traces and metrics, by the variables of the OpenTelemetry specification. */
export type TelemetryExport = {
  /** Undefined: not sent. */
  tracesUrl: string | undefined;
  metricsUrl: string | undefined;
  protocol: 'http/protobuf' | 'http/json';
  headers: Record<string, string>;
  timeoutMs: number;
  isCompressed: boolean;
  serviceName: string;
  resource: Record<string, string>;
  sampler: Sampler;
  /** The share of traces that a sampler by ratio keeps. */
  sampleRatio: number;
  spanDelayMs: number;
  spansMax: number;
  metricsEveryMs: number;
};

const samplers = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;
export type Sampler = (typeof samplers)[number];

/** @returns undefined without the address of a collector */
export function readTelemetry(read: SettingsReader): TelemetryExport | undefined {
  const isDisabled = read.choice('OTEL_SDK_DISABLED', ['true', 'false']) === 'true';
  const urls = readUrls(read);
  const settings: TelemetryExport = {
    ...urls,
    protocol: read.choice('OTEL_EXPORTER_OTLP_PROTOCOL', ['http/protobuf', 'http/json']) ?? 'http/protobuf',
    headers: pairsOf(read, 'OTEL_EXPORTER_OTLP_HEADERS', read.list('OTEL_EXPORTER_OTLP_HEADERS', [])),
    timeoutMs: read.integer('OTEL_EXPORTER_OTLP_TIMEOUT', 10_000, 1, 600_000),
    isCompressed: read.choice('OTEL_EXPORTER_OTLP_COMPRESSION', ['gzip', 'none']) === 'gzip',
    serviceName: read.text('OTEL_SERVICE_NAME') ?? 'kontor',
    resource: pairsOf(read, 'OTEL_RESOURCE_ATTRIBUTES', read.list('OTEL_RESOURCE_ATTRIBUTES', [])),
    sampler: read.choice('OTEL_TRACES_SAMPLER', samplers) ?? 'parentbased_always_on',
    sampleRatio: readRatio(read),
    spanDelayMs: read.integer('OTEL_BSP_SCHEDULE_DELAY', 5_000, 1, 600_000),
    spansMax: read.integer('OTEL_BSP_MAX_QUEUE_SIZE', 2_048, 1, 1_000_000),
    metricsEveryMs: read.integer('OTEL_METRIC_EXPORT_INTERVAL', 60_000, 100, 86_400_000),
  };
  const isOff = isDisabled || (settings.tracesUrl === undefined && settings.metricsUrl === undefined);
  return isOff ? undefined : settings;
}

const protocols = ['http:', 'https:'];

function readUrls(read: SettingsReader): Pick<TelemetryExport, 'tracesUrl' | 'metricsUrl'> {
  const base = read.url('OTEL_EXPORTER_OTLP_ENDPOINT', protocols)?.replace(/\/+$/, '');
  const below = (path: string) => (base === undefined ? undefined : `${base}${path}`);
  const tracesUrl = read.url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', protocols) ?? below('/v1/traces');
  const metricsUrl = read.url('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', protocols) ?? below('/v1/metrics');
  return {
    tracesUrl: read.choice('OTEL_TRACES_EXPORTER', ['otlp', 'none']) === 'none' ? undefined : tracesUrl,
    metricsUrl: read.choice('OTEL_METRICS_EXPORTER', ['otlp', 'none']) === 'none' ? undefined : metricsUrl,
  };
}

/** Reads `name=value` pairs, whose values are percent-encoded. */
function pairsOf(read: SettingsReader, name: string, texts: readonly string[]): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const text of texts) {
    const [, key, value = ''] = /^([^=\s]+)\s*=(.*)$/.exec(text) ?? [];
    try {
      if (key === undefined) throw new URIError();
      pairs[key] = decodeURIComponent(value.trim());
    } catch {
      // The fault leaves the value out, because it may be a key.
      read.faults.push(`${name}: not a list such as name=value,name2=value2`);
    }
  }
  return pairs;
}

function readRatio(read: SettingsReader): number {
  const ratio = Number(read.text('OTEL_TRACES_SAMPLER_ARG') ?? 1);
  if (ratio >= 0 && ratio <= 1) return ratio;
  read.faults.push('OTEL_TRACES_SAMPLER_ARG: not a number from 0 to 1');
  return 1;
}

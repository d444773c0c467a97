import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { openServer } from '../harness/small-server.ts';

export type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { name: string; value: unknown }[];
  status: { code?: number };
};
type OtlpMetric = { name: string; body: Record<string, { dataPoints: Record<string, unknown>[] }> };

type Received = { path: string; headers: IncomingMessage['headers']; body: Buffer };

/** A collector that takes OTLP over HTTP, and reads the JSON kind. */
export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const received: Received[] = [];
  let answer = 200;
  const { url, close } = await openServer((request, response) => {
    void buffer(request).then((bytes) => {
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
      if (answer === 200) received.push({ path: request.url ?? '', headers: request.headers, body });
      response
        .writeHead(answer, { 'content-type': request.headers['content-type'] ?? '' })
        .end(request.headers['content-type'] === 'application/json' ? '{}' : '');
    });
  });
  const json = (path: string) =>
    received.filter((each) => each.path === path).map(({ body }) => JSON.parse(body.toString()));
  return {
    url,
    close,
    received,
    answerWith: (status) => {
      answer = status;
    },
    text: () => received.map(({ body }) => body.toString('latin1')).join('\n'),
    spans: () =>
      json('/v1/traces')
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .map((span) => ({ ...span, attributes: span.attributes.map(named) })),
    metrics: () =>
      json('/v1/metrics')
        .flatMap(({ resourceMetrics }) => resourceMetrics)
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap(({ metrics }) => metrics)
        .map(({ name, ...body }) => ({ name, body })),
  };
}

export type OtlpReceiver = {
  url: string;
  received: readonly Received[];
  spans(): OtlpSpan[];
  metrics(): OtlpMetric[];
  /** All bodies as text. */
  text(): string;
  answerWith(status: number): void;
  close(): Promise<void>;
};

function named({ key, value }: { key: string; value: Record<string, unknown> }) {
  return { name: key, value: Object.values(value)[0] };
}

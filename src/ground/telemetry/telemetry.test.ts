import { spawnSync } from 'node:child_process';
import { afterAll, afterEach, expect, test } from 'vitest';
import { buildHouse, type House } from '../../../test/harness/harness.ts';
import { useReceiver } from '../../../test/harness/receiver.ts';
import { type OtlpSpan, openOtlpReceiver } from '../../../test/peers/otlp-receiver.ts';
import { deliveryDesk } from '../../../test/worlds/delivery-desk.ts';
import { call, makeOwner } from '../../../test/worlds/factories.ts';
import { openReceivers } from '../../events/integrations/receivers.ts';
import { askProvider } from '../../mail/providers/provider-request.ts';
import { parseNetwork } from '../lib/networks.ts';
import { traced } from '../lib/traced.ts';
import { openLog } from '../platform/log.ts';
import { readConfig } from '../settings/config.ts';

const receiver = useReceiver();
const collector = await openOtlpReceiver();
afterAll(collector.close);
type OpenHouse = House & { close(): Promise<void> };
let house: OpenHouse | undefined;
afterEach(async () => {
  collector.answerWith(200);
  await house?.close();
  house = undefined;
});

const json = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '50',
};
const open = async (settings: Record<string, string> = json): Promise<OpenHouse> => {
  house = await buildHouse(settings);
  return house;
};

const attribute = (span: OtlpSpan | undefined, name: string) =>
  span?.attributes.find((each) => each.name === name)?.value;
const server = 2;
const client = 3;
const consumer = 5;

/** The spans that have arrived, once one of them fits. */
async function spansWith(isWanted: (span: OtlpSpan) => boolean): Promise<OtlpSpan[]> {
  await expect.poll(() => collector.spans().some(isWanted)).toBe(true);
  return collector.spans();
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

test('a request continues the trace of its caller, with its statements and the jobs that it causes', async () => {
  const { app, url, drain } = await open();
  const owner = await makeOwner({ app, url } as House);
  const requester = { email: 'c@example.org' };
  const { body: ticket } = await owner.call('POST', '/tickets', { subject: 'Printer', body: 'b', requester });
  const path = `/v1/workspaces/${owner.workspaceId}/tickets/${ticket.id}/messages`;
  const headers = { authorization: `Bearer ${owner.token}`, 'x-workspace-id': owner.workspaceId, traceparent };
  const { status } = await call({ url }, 'POST', path, { body: 'x', sendEmail: true }, headers);
  expect(status).toBe(201);
  await drain();
  const spans = await spansWith(({ name, traceId: id }) => name === 'job mail.deliver' && id === traceId);
  const ours = spans.filter((span) => span.traceId === traceId);
  const request = ours.find(({ kind }) => kind === server);
  expect(request).toMatchObject({
    name: 'POST /v1/workspaces/:workspaceId/tickets/:ticketId/messages',
    parentSpanId: '00f067aa0ba902b7',
  });
  expect(attribute(request, 'http.response.status_code')).toBe(201);
  const statements = ours.filter(({ kind, parentSpanId }) => kind === client && parentSpanId === request?.spanId);
  expect(statements.map(({ name }) => name)).toEqual(expect.arrayContaining(['insert messages', 'commit']));
  expect(statements.map(({ name }) => name)).not.toContain('begin');
  const job = ours.find(({ kind, name }) => kind === consumer && name === 'job mail.deliver');
  expect(job?.parentSpanId).toBe(request?.spanId);
});

test('a call to a provider or a webhook is a span, and carries the trace', async () => {
  await open();
  const work = { kind: 'job', name: 'mailbox.sync', traceparent } as const;
  const asking = { provider: 'Microsoft 365', url: `${receiver.url}/users/ada@example.org/messages` };
  await traced(work, () => askProvider(asking));
  receiver.answer = 429;
  await traced(work, () => askProvider(asking));
  receiver.answer = 200;
  const [sent] = receiver.received;
  expect(sent?.headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  const isCall = ({ name, traceId: id }: OtlpSpan) => name === 'Microsoft 365 GET' && id === traceId;
  await expect.poll(() => collector.spans().filter(isCall)).toHaveLength(2);
  const [good, refused] = collector.spans().filter(isCall);
  expect(sent?.headers.traceparent).toContain(good?.spanId);
  expect(good?.attributes).toEqual([
    { name: 'kontor.peer', value: 'Microsoft 365' },
    { name: 'kontor.operation', value: 'GET' },
    { name: 'http.response.status_code', value: 200 },
  ]);
  expect(attribute(refused, 'error.type')).toBe('429');
});

test('a webhook is posted with the trace, and its span does not name the receiver', async () => {
  await open();
  const { allowed, url } = { allowed: [parseNetwork('127.0.0.0/8')!], url: `${receiver.url}/a-secret-path` };
  const receivers = openReceivers(allowed, async () => []);
  const post = () => receivers.post({ url, headers: { 'x-own': '1' }, body: '{}', timeoutMs: 5_000 });
  const posted = await traced({ kind: 'job', name: 'webhook.deliver', traceparent }, post);
  expect(posted).toEqual({ kind: 'answered', status: 200 });
  const isPost = ({ name, traceId: id }: OtlpSpan) => name === 'webhook POST' && id === traceId;
  const span = (await spansWith(isPost)).find(isPost);
  expect(receiver.received.at(-1)?.headers).toMatchObject({
    'x-own': '1',
    traceparent: `00-${traceId}-${span?.spanId}-01`,
  });
  expect(collector.text()).not.toContain('a-secret-path');
});

test('neither spans nor metrics tell anything of a tenant', async () => {
  const { app, url, drain } = await open({ ...json, OTEL_METRIC_EXPORT_INTERVAL: '200' });
  const owner = await makeOwner({ app, url } as House);
  const desk = deliveryDesk({ app, url, drain } as House, () => owner);
  const answered = await desk.answer({ body: 'unmistakable words' });
  await drain();
  await owner.call('GET', `/tickets?search=unmistakable&requesterId=${owner.userId}`);
  await owner.call('GET', '/tickets/not-an-id-of-anything');
  await call({ url }, 'GET', '/nowhere/unmistakable?token=unmistakable', undefined, {
    'x-correlation-id': 'unmistakable',
  });
  await spansWith(({ name }) => name === 'GET /v1/workspaces/:workspaceId/tickets/:ticketId');
  await expect.poll(() => collector.metrics().length).toBeGreaterThan(0);
  const text = collector.text();
  expect(text).toContain('job mail.deliver');
  for (const secret of [
    'unmistakable',
    'Printer',
    '@',
    'example.org',
    '127.0.0.1',
    owner.workspaceId,
    answered.ticketId,
  ])
    expect(text).not.toContain(secret);
});

test('metrics have the names and figures that Prometheus reads', async () => {
  const { url } = await open({ ...json, OTEL_METRIC_EXPORT_INTERVAL: '200' });
  await call({ url }, 'GET', '/v1/openapi.json');
  const found = (name: string) => collector.metrics().findLast((metric) => metric.name === name)?.body;
  const route = JSON.stringify({ key: 'route', value: { stringValue: '/v1/openapi.json' } });
  await expect.poll(() => JSON.stringify(found('kontor_http_request_duration_seconds'))).toContain(route);
  const point = found('kontor_http_request_duration_seconds')?.histogram?.dataPoints.find((each) =>
    JSON.stringify(each).includes(route),
  );
  expect(point).toMatchObject({ count: 1, explicitBounds: expect.arrayContaining([0.001, 10]) });
  const { bucketCounts: counts, explicitBounds: bounds } = point as Record<string, number[]>;
  expect(counts).toHaveLength((bounds ?? []).length + 1);
  expect(counts?.map(Number).reduce((sum, count) => sum + count)).toBe(1);
  expect(found('process_resident_memory_bytes')?.gauge?.dataPoints[0]?.asDouble).toBeGreaterThan(1e6);
  expect(found('kontor_webhook_items_total')?.sum).toMatchObject({ isMonotonic: true });
});

test('protobuf is the default, with headers, compression and the names of the settings', async () => {
  const { url } = await open({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20key',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=tryout',
    OTEL_SERVICE_NAME: 'desk',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  await call({ url }, 'GET', '/v1/openapi.json');
  const arrived = () => collector.received.find(({ path }) => path === '/own/path');
  await expect.poll(arrived).toBeDefined();
  expect(arrived()?.headers).toMatchObject({ 'content-type': 'application/x-protobuf', 'x-key': 'a key' });
  for (const text of ['GET /v1/openapi.json', 'tryout', 'desk']) expect(arrived()?.body.toString()).toContain(text);
});

test.each([
  ['refuses', () => collector.url],
  ['does not listen', () => 'http://127.0.0.1:9'],
])('a collector that %s costs only what it does not get, which is counted', async (_what, endpoint) => {
  collector.answerWith(400);
  const started = await open({
    ...json,
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(),
    OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    OTEL_METRIC_EXPORT_INTERVAL: '100',
    OTEL_BSP_MAX_QUEUE_SIZE: '3',
  });
  const ask = () => call(started, 'GET', '/v1/openapi.json');
  for (let asked = 0; asked < 30; asked++) expect((await ask()).status).toBe(200);
  await expect.poll(() => started.app.telemetry?.lost().spans).toBe(30);
  await expect.poll(() => started.app.telemetry?.lost().metrics).toBeGreaterThan(0);
  const { body } = await call(started, 'GET', '/metrics');
  expect(body).toContain('kontor_telemetry_lost_total{signal="spans"} 30');
  const stoppedAt = performance.now();
  await started.app.telemetry?.close();
  expect(performance.now() - stoppedAt).toBeLessThan(2_500);
});

test('a sampler leaves traces out', async () => {
  const started = await open({ ...json, OTEL_TRACES_SAMPLER: 'always_off' });
  const before = collector.spans().length;
  await call(started, 'GET', '/v1/openapi.json', undefined, { traceparent });
  await started.app.telemetry?.close();
  expect(collector.spans()).toHaveLength(before);
});

test('the log names the trace', async () => {
  await open();
  const lines: string[] = [];
  const log = openLog('info', { write: (line) => void lines.push(line) });
  await traced({ kind: 'job', name: 'house.sweep', traceparent }, async () => log.info('within'));
  log.info('outside');
  expect(lines.map((line) => JSON.parse(line).traceId)).toEqual([traceId, undefined]);
});

test('without a collector, no code of OpenTelemetry is loaded', () => {
  const script = `
    import module from 'node:module';
    const loaded = [];
    module.registerHooks({
      resolve: (name, context, next) => {
        const found = next(name, context);
        loaded.push(found.url);
        return found;
      },
    });
    const { readConfig } = await import('./src/ground/settings/config.ts');
    const { openTelemetry } = await import('./src/ground/telemetry/open-telemetry.ts');
    for (const path of ['app', 'server', 'worker', 'operations/commands/serve', 'operations/commands/serve-requests'])
      await import('./src/' + path + '.ts');
    // prom-client loads the API, which does nothing by itself.
    const ofTelemetry = () => loaded.filter((url) => /@opentelemetry.(?!api.)/.test(url)).length;
    const { telemetry } = readConfig({ ...process.env, DATA_DIR: process.env.PLACE });
    await openTelemetry(telemetry, { warn() {} });
    console.log(loaded.length > 500, ofTelemetry());`;
  const run = (settings: Record<string, string>) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, PLACE: '/tmp/kontor-telemetry-test', ...settings },
    });
  expect(run({}).stdout).toBe('true 0\n');
  expect(run({ ...json, OTEL_SDK_DISABLED: 'true' }).stdout).toBe('true 0\n');
  expect(run(json).stdout).toMatch(/^true [1-9]/);
});

test.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'is not one of http/protobuf, http/json'],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'a-secret-key' }, 'OTEL_EXPORTER_OTLP_HEADERS: not a list'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT: not an address'],
  [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG: not a number from 0 to 1'],
])('%o is refused in a sentence', (settings, sentence) => {
  expect(() => readConfig(settings)).toThrow(sentence);
  expect(() => readConfig(settings)).not.toThrow('a-secret-key');
});

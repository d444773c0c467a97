import { afterAll, expect, test } from 'vitest';
import { startService } from '../harness/service.ts';
import { runService, temporaryFolder } from '../harness/service-process.ts';
import { openOtlpReceiver } from '../peers/otlp-receiver.ts';

const collector = await openOtlpReceiver();
const place = await temporaryFolder();
afterAll(async () => {
  await collector.close();
  await place.remove();
});

const settings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_METRIC_EXPORT_INTERVAL: '500',
  // Longer than the test, so that only the stop sends the spans.
  OTEL_BSP_SCHEDULE_DELAY: '600000',
};
const namesOf = () => new Set(collector.metrics().map(({ name }) => name));

test('each of several processes exports its metrics, and a stop sends the spans that wait', async () => {
  const service = await startService(place.path, { ...settings, WEB_CONCURRENCY: '2' });
  await fetch(`${service.url}/v1/openapi.json`);
  await expect
    .poll(() => namesOf().has('kontor_jobs') && namesOf().has('kontor_http_request_duration_seconds'))
    .toBe(true);
  const processes = () =>
    new Set([...collector.text().matchAll(/"process","value":\{"stringValue":"(\w+)"/g)].map(([, name]) => name));
  await expect.poll(processes).toEqual(new Set(['main', '1', '2']));
  expect(collector.spans()).toEqual([]);
  service.process.kill('SIGTERM');
  expect(await service.exited).toEqual({ code: 0, signal: null });
  expect(collector.spans().map(({ name }) => name)).toContain('GET /v1/openapi.json');
});

test('a process with the role worker alone, which opens no port, exports its metrics', async () => {
  const before = collector.received.length;
  const worker = runService({ ...settings, DATA_DIR: place.path }, ['src/main.ts', 'worker']);
  await worker.seen(/Kontor runs its jobs/);
  const later = () =>
    collector.received
      .slice(before)
      .map(({ body }) => body.toString())
      .join('');
  await expect.poll(later).toContain('kontor_jobs');
  worker.process.kill('SIGTERM');
  expect(await worker.exited).toEqual({ code: 0, signal: null });
});

test('a collector that is away changes nothing but a line in the log and the time of a stop', async () => {
  const away = { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_TIMEOUT: '400' };
  const service = await startService(place.path, away);
  for (let asked = 0; asked < 20; asked++) expect((await fetch(`${service.url}/v1/openapi.json`)).status).toBe(200);
  await service.seen(/telemetry is lost: the collector does not take it/);
  const stoppedAt = performance.now();
  service.process.kill('SIGTERM');
  expect(await service.exited).toEqual({ code: 0, signal: null });
  expect(performance.now() - stoppedAt).toBeLessThan(15_000);
  expect(service.output().match(/telemetry is lost/g)).toHaveLength(1);
});

import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildHouse, type House } from '../../../test/harness/harness.ts';
import { call, makeOwner } from '../../../test/worlds/factories.ts';
import { putMailbox } from '../../../test/worlds/put-mailbox.ts';
import { openApp } from '../../app.ts';
import { sql } from '../../ground/database/sql.ts';
import { buildServer } from '../../server.ts';
import { failedChecks } from './health.ts';
import { openMetrics } from './metrics.ts';

let house: House & { close(): Promise<void> };
beforeEach(async () => {
  house = await buildHouse({ RATE_LIMIT_PER_MINUTE: '3' });
});
afterEach(async () => {
  await house.close();
});

const readiness = () => call(house, 'GET', '/readyz');

test('a running service is alive and ready, however often it is asked', async () => {
  for (let time = 0; time < 5; time++) {
    expect(await call(house, 'GET', '/livez')).toMatchObject({ status: 200, body: { status: 'alive' } });
    expect(await readiness()).toMatchObject({ status: 200, body: { status: 'ready' } });
  }
});

test('the service is not ready while a migration of this release is missing', async () => {
  await house.app.db.tx((tx) => tx.run(sql`delete from migrations where name like '001%'`));
  const { status, headers, body } = await readiness();
  expect({ status, body }).toMatchObject({
    status: 503,
    body: { key: 'unavailable', params: { failed: ['migrations'] } },
  });
  expect(headers.get('retry-after')).toBe('2');
});

test('the service is not ready without the tables of the job queue', async () => {
  await house.app.db.tx((tx) => tx.run(sql`drop schema graphile_worker cascade`));
  expect(await readiness()).toMatchObject({ status: 503, body: { params: { failed: ['queue'] } } });
});

test('the service is not ready while a disk that it writes to is full', async () => {
  const { app } = house;
  await app.blobs.check();
  const external = {
    ...app,
    config: { ...app.config, database: { kind: 'external' as const, url: '', directUrl: '' } },
  };
  const more = Number.MAX_SAFE_INTEGER;
  expect(await failedChecks(app, undefined, more)).toEqual(['disk']);
  expect(await failedChecks(external, undefined, more)).toEqual(['disk']);
  expect(await failedChecks(external, undefined)).toEqual([]);
});

test('a missing folder does not hide a fault of the other folder', async () => {
  const { app } = house;
  await app.blobs.check();
  const database = { kind: 'embedded' as const };
  const config = { ...app.config, database, dataDir: join(app.config.dataDir, 'missing') };
  const more = Number.MAX_SAFE_INTEGER;
  expect(await failedChecks({ ...app, config }, undefined)).toEqual([]);
  expect(await failedChecks({ ...app, config }, undefined, more)).toEqual(['disk']);
});

test('the service is not ready when its own job runner has ended', async () => {
  let isRunning = true;
  const queue = { isRunning: () => isRunning, died: new Promise<never>(() => {}), stop: async () => {} };
  const server = await buildServer(house.app, { queue });
  const ask = async () => {
    const { statusCode, body } = await server.inject('/readyz');
    return { status: statusCode, failed: JSON.parse(body).params?.failed };
  };
  expect(await ask()).toEqual({ status: 200, failed: undefined });
  isRunning = false;
  expect(await ask()).toEqual({ status: 503, failed: ['jobs'] });
  await server.close();
});

test('one of several processes is ready when all are, and exports the metrics of all', async () => {
  const answers = new Map<string, () => Promise<unknown>>();
  let others: unknown[] = [];
  const processes = {
    ask: async (question: string) => [await answers.get(question)?.(), ...others],
    answer: (question: string, answer: () => Promise<unknown>) => answers.set(question, answer),
  };
  const server = await buildServer(house.app, { several: { number: 2, processes } });
  expect((await server.inject('/readyz')).statusCode).toBe(200);
  others = [['queue'], ['queue', 'jobs'], undefined];
  expect((await server.inject('/readyz')).json()).toMatchObject({ params: { failed: ['queue', 'jobs', 'processes'] } });

  const mainNumbers = openMetrics(house.app, 'main');
  others = [await mainNumbers.getMetricsAsJSON(), undefined];
  const { body } = await server.inject('/metrics');
  expect(body).toMatch(/^kontor_db_waiting\{process="main"\} 0$/m);
  expect(body).toMatch(/^kontor_db_waiting\{process="2"\} 0$/m);
  expect(body).toMatch(/^kontor_http_request_duration_seconds_count\{.*process="2"\} 1$/m);
  expect(body.match(/^kontor_jobs\{state="due"/gm)).toHaveLength(1);
  await server.close();
});

test('without its database the service is alive, not ready, and still exports metrics', async () => {
  const databaseUrl = 'postgres://127.0.0.1:1/nothing';
  const app = openApp({ config: house.app.config, log: house.app.log, databaseUrl });
  const server = await buildServer(app);
  const readiness = await server.inject('/readyz');
  expect({ status: readiness.statusCode, body: readiness.json() }).toMatchObject({
    status: 503,
    body: { params: { failed: ['database'] } },
  });
  expect((await server.inject('/livez')).statusCode).toBe(200);
  expect((await server.inject('/metrics')).body).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
  await server.close();
  await app.close();
});

test('the metrics count requests by route, never by address, and jobs by state', async () => {
  const owner = await makeOwner(house);
  await owner.call('GET', '/tickets');
  await owner.call('GET', `/tickets/${owner.userId}`);
  const { body, headers } = await call(house, 'GET', '/metrics');
  expect(headers.get('content-type')).toMatch(/^text\/plain/);
  const labels = 'method="GET",route="/v1/workspaces/:workspaceId/tickets/:ticketId",status="404"';
  expect(body).toContain(`kontor_http_request_duration_seconds_count{${labels}} 1`);
  expect(body).toContain('kontor_jobs{state="due"} 0');
  expect(body).toMatch(/^kontor_db_connections \d+$/m);
  expect(body).not.toContain(owner.workspaceId);
});

test('the metrics describe the mailboxes of all workspaces', async () => {
  const { workspaceId } = await makeOwner(house);
  const put = (address: string) =>
    putMailbox(house, { workspaceId, provider: 'mail-b', address, refreshToken: 'a token' });
  const [, closed] = await Promise.all(['a@shop.example', 'b@shop.example'].map(put));
  await house.app.db.tx(async (tx) => {
    await tx.run(sql`
      update mailboxes set status = 'error', send_status = 'error'
      where workspace_id = ${workspaceId} and id = ${closed?.id}`);
    await tx.run(sql`
      update mailbox_syncs set synced_at = now() - interval '1 day'
      where workspace_id = ${workspaceId} and mailbox_id = ${closed?.id}`);
    await tx.run(sql`
      insert into mailbox_stuck_mails (workspace_id, mailbox_id, provider_id, folder, fault, attempts, next_attempt_at)
      select ${workspaceId}, ${closed?.id}, f.fault, 'inbox', nullif(f.fault, 'none'), 1, now()
      from unnest(array['none', 'ErrorMimeContentConversionFailed']) f (fault)`);
  });
  const { body } = await call(house, 'GET', '/metrics');
  expect(body).toContain('kontor_mailboxes{status="active"} 1');
  expect(body).toContain('kontor_mailboxes{status="error"} 1');
  expect(body).toContain('kontor_mailboxes_send_error 1');
  expect(body).toMatch(/^kontor_mailbox_oldest_sync_seconds 86\d{3}(\.\d+)?$/m);
  expect(body).toContain('kontor_mailbox_stuck_mails 1');
  expect(body).not.toContain('shop.example');
});

test('no cache stores an answer, which may contain tokens', async () => {
  const owner = await makeOwner(house);
  const answers = [await owner.call('GET', '/v1/me'), await call(house, 'POST', '/v1/auth/refresh', {})];
  expect(answers.map(({ status, headers }) => [status, headers.get('cache-control')])).toEqual([
    [200, 'no-store'],
    [400, 'no-store'],
  ]);
});

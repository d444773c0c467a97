import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { readEvents } from '../harness/event-reader.ts';
import { cloneDatabase } from '../harness/harness.ts';
import { startService } from '../harness/service.ts';
import { temporaryFolder } from '../harness/service-process.ts';
import { startPgBouncer } from '../peers/pgbouncer.ts';
import { call } from '../worlds/factories.ts';

const requestsAtOnce = 40;

test('behind PgBouncer in transaction mode everything works, over fewer connections than requests', async ({
  skip,
}) => {
  const binary = process.env.PGBOUNCER;
  if (binary === undefined) return skip('PGBOUNCER names no PgBouncer of 1.21 or later');

  await using house = new AsyncDisposableStack();
  const database = await cloneDatabase();
  house.defer(database.drop);
  const folder = await temporaryFolder();
  house.defer(folder.remove);
  const pooler = await startPgBouncer(binary, database.url, folder.path);
  house.defer(pooler.stop);
  const direct = new URL(database.url);
  direct.searchParams.set('application_name', 'direct');
  const service = await startService(folder.path, {
    DATABASE_URL: pooler.url,
    DATABASE_DIRECT_URL: direct.href,
    AUTH_SECRET: randomBytes(32).toString('hex'),
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  });
  house.defer(async () => {
    service.process.kill('SIGTERM');
    await service.exited;
  });

  const account = { email: 'ann@example.org', password: 'a password that is long enough' };
  expect((await call(service, 'POST', '/v1/auth/register', { ...account, workspaceName: 'Support' })).status).toBe(201);
  const { body: session } = await call(service, 'POST', '/v1/auth/session', { provider: 'local', ...account });
  const { accessToken: token } = session;
  const workspaceId = session.workspace.id;
  const headers = { authorization: `Bearer ${token}`, 'x-workspace-id': workspaceId };
  const ask = (method: string, path: string, body?: unknown) =>
    call(service, method, `/v1/workspaces/${workspaceId}${path}`, body, headers);
  const events = await readEvents(service, { workspaceId, token });
  house.defer(async () => events.close());
  await events.until(() => events.lastEventId() !== '');

  const numbers = Array.from({ length: requestsAtOnce }, (_, index) => index + 1);
  const ticket = (index: number) => ({
    subject: `Ticket ${index}`,
    body: 'Hello',
    requester: { email: 'bob@example.org' },
  });
  const created = await Promise.all(numbers.map((index) => ask('POST', '/tickets', ticket(index))));
  expect(created.map(({ status }) => status)).toEqual(numbers.map(() => 201));
  const read = await Promise.all(created.map(({ body }) => ask('GET', `/tickets/${body.id}`)));
  expect(read.map(({ body }) => body.subject)).toEqual(created.map(({ body }) => body.subject));
  expect((await ask('GET', '/tickets?search=hello')).body).toHaveLength(requestsAtOnce);

  // Tries a job of the queue, which listens past the pooler, and a message between processes.
  const answer = { body: 'An answer', sendEmail: true };
  const { status, body: message } = await ask('POST', `/tickets/${created[0]?.body.id}/messages`, answer);
  expect(status).toBe(201);
  await vi.waitFor(async () => {
    const { body } = await ask('GET', `/tickets/${created[0]?.body.id}`);
    expect(body.messages.find(({ id }: { id: string }) => id === message.id).delivery.status).toBe('sent');
  }, 30_000);
  await events.until((all) => all.filter(({ data }) => data.type === 'ticket.created').length === requestsAtOnce);

  const client = new pg.Client({ connectionString: database.url, application_name: 'test' });
  await client.connect();
  house.defer(() => client.end());
  const { rows } = await client.query(
    `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'kontor'`,
  );
  expect(rows[0].count).toBeGreaterThan(0);
  expect(rows[0].count).toBeLessThanOrEqual(pooler.serverConnections);
});

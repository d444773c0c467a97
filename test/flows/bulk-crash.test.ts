import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Service, useServices } from '../harness/service.ts';
import { call } from '../worlds/factories.ts';

const { start } = useServices({ LOG_LEVEL: 'warn' });

/** So many that a busy machine, too, looks before all are changed. */
const ticketsMax = 240;

test('kill -9 amid a bulk change, and amid its undo: both go on, and nothing happens twice', {
  timeout: 420_000,
}, async () => {
  const first = await start();
  const account = { email: 'owner@example.org', password: 'correct horse battery' };
  await call(first, 'POST', '/v1/auth/register', account);
  const { body: session } = await call(first, 'POST', '/v1/auth/session', { provider: 'local', ...account });
  const workspace = `/v1/workspaces/${session.workspace.id}`;
  const headers = { authorization: `Bearer ${session.accessToken}`, 'x-workspace-id': session.workspace.id };
  const ask = async (service: Service, method: string, path: string, body?: object) =>
    (await call(service, method, `${workspace}${path}`, body, headers)).body;

  for (let n = 0; n < ticketsMax; n += 10)
    await Promise.all(
      Array.from({ length: 10 }, (_, at) => ask(first, 'POST', '/tickets', { subject: `${n + at}`, body: 'b' })),
    );
  const { id } = await ask(first, 'POST', '/tickets/bulk', { query: { status: ['open'] }, status: 'closed' });
  const read = (service: Service) => ask(service, 'GET', `/bulk-changes/${id}`);
  // Dies as soon as the work has begun.
  while ((await read(first)).changed === 0) await sleep(2);
  const amid = await read(first);
  await first.kill();
  expect(amid.state).toBe('running');

  const second = await start();
  await expect.poll(async () => (await read(second)).state, { timeout: 60_000 }).toBe('done');
  expect(await read(second)).toMatchObject({ total: ticketsMax, changed: ticketsMax });
  await ask(second, 'POST', `/bulk-changes/${id}/undo`);
  while ((await read(second)).undone === 0) await sleep(2);
  const amidUndo = await read(second);
  await second.kill();
  expect(amidUndo.state).toBe('undoing');

  const third = await start();
  await expect.poll(async () => (await read(third)).state, { timeout: 60_000 }).toBe('undone');
  expect(await read(third)).toMatchObject({ undone: ticketsMax, kept: 0 });
  const tickets = await ask(third, 'GET', '/tickets?status=open&limit=500');
  expect(tickets).toHaveLength(ticketsMax);
  for (const ticket of tickets) {
    // Created, changed, brought back.
    expect(ticket.version).toBe(3);
    const { items } = await ask(third, 'GET', `/tickets/${ticket.id}/events`);
    const told = items.filter(({ type }: { type: string }) => type === 'ticket.status_changed');
    expect(told).toHaveLength(2);
  }
});

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Service, useServices } from '../harness/service.ts';
import { call } from '../worlds/factories.ts';

const { start } = useServices({ LOG_LEVEL: 'warn' });

const ticketsMax = 60;

test('kill -9 amid an erasure: the next start completes it', { timeout: 300_000 }, async () => {
  const first = await start();
  const account = { email: 'owner@example.org', password: 'correct horse battery' };
  await call(first, 'POST', '/v1/auth/register', account);
  const { body: session } = await call(first, 'POST', '/v1/auth/session', { provider: 'local', ...account });
  const workspace = `/v1/workspaces/${session.workspace.id}`;
  const headers = { authorization: `Bearer ${session.accessToken}`, 'x-workspace-id': session.workspace.id };
  const ask = (service: Service, method: string, path: string, body?: object) =>
    call(service, method, `${workspace}${path}`, body, headers);

  const requester = { email: 'zora@quellwasser.example', name: 'Zora Quellwasser' };
  for (let n = 0; n < ticketsMax; n++)
    await ask(first, 'POST', '/tickets', { subject: `planted ${n}`, body: 'planted', requester });
  const other = { email: 'eve@example.net', name: 'Eve' };
  await ask(first, 'POST', '/tickets', { subject: 'Of Eve', body: 'stays', requester: other });
  const [{ id }] = (await ask(first, 'GET', '/contacts?search=quellwasser')).body;
  const asked = await ask(first, 'POST', `/contacts/${id}/erasure`, {
    email: requester.email,
    password: account.password,
  });
  expect(asked.status).toBe(202);
  // Dies as soon as the work has begun.
  let deleted = 0;
  for (; deleted === 0; await sleep(5))
    deleted = (await ask(first, 'GET', `/contacts/${id}/erasure`)).body.erasure.ticketsDeleted;
  await first.kill();
  expect(deleted).toBeLessThan(ticketsMax);

  const again = await start();
  const erasure = async () => (await ask(again, 'GET', `/contacts/${id}/erasure`)).body.erasure;
  await expect.poll(async () => (await erasure()).finishedAt, { timeout: 60_000 }).not.toBeNull();
  // No ticket was counted twice or forgotten.
  expect(await erasure()).toMatchObject({ ticketsDeleted: ticketsMax, messagesErased: ticketsMax, ticketsKept: 0 });
  const left = (await ask(again, 'GET', '/tickets?archived=any&limit=500')).body;
  expect(left.map(({ subject }: { subject: string }) => subject)).toEqual(['Of Eve']);
});

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { databasePlace } from '../harness/database-place.ts';
import { type Service, startService } from '../harness/service.ts';
import { call } from '../worlds/factories.ts';

let dataDir: string;
const services: Service[] = [];

afterAll(async () => {
  await Promise.all(services.map((service) => service.killEverything().catch(() => {})));
  await rm(dataDir, { recursive: true, force: true });
});

test('kill -9 of everything amid 500 creates loses no ticket that was confirmed with 201', {
  timeout: 300_000,
}, async () => {
  dataDir = await mkdtemp(join(databasePlace(), 'kontor-crash-'));
  const first = await startService(dataDir, { LOG_LEVEL: 'warn' });
  services.push(first);
  const account = { email: 'owner@example.org', password: 'correct horse battery' };
  await call(first, 'POST', '/v1/auth/register', account);
  const { body: session } = await call(first, 'POST', '/v1/auth/session', { provider: 'local', ...account });
  const workspace = `/v1/workspaces/${session.workspace.id}`;
  const headers = { authorization: `Bearer ${session.accessToken}`, 'x-workspace-id': session.workspace.id };

  const answered: { id: string; ticketNumber: number; subject: string }[] = [];
  let sent = 0;
  const create = async () => {
    while (sent < 500) {
      const subject = `ticket ${sent++}`;
      const answer = await call(
        first,
        'POST',
        `${workspace}/tickets`,
        { subject, body: `body of ${subject}` },
        headers,
      );
      if (answer.status === 201) answered.push(answer.body);
      if (answered.length === 200) void first.killEverything();
    }
  };
  await Promise.allSettled(Array.from({ length: 16 }, create));
  await first.exited;
  expect(answered.length).toBeGreaterThanOrEqual(200);
  expect(answered.length).toBeLessThan(500);

  const again = await startService(dataDir, { LOG_LEVEL: 'warn' });
  services.push(again);
  for (const { id, ticketNumber, subject } of answered) {
    const { status, body } = await call(again, 'GET', `${workspace}/tickets/${id}`, undefined, headers);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ticketNumber, subject, messages: [{ body: `body of ${subject}` }] });
    const events = await call(again, 'GET', `${workspace}/tickets/${id}/events`, undefined, headers);
    expect(events.body.items.map((event: { type: string }) => event.type)).toEqual(['ticket.created']);
  }
  const next = await call(again, 'POST', `${workspace}/tickets`, { subject: 'next', body: 'b' }, headers);
  const all = await call(again, 'GET', `${workspace}/tickets?limit=500`, undefined, headers);
  const numbers = all.body
    .map((ticket: { ticketNumber: number }) => ticket.ticketNumber)
    .sort((a: number, b: number) => a - b);
  // No two tickets share a number, even if the crash kept a commit from being confirmed. Lost creates leave gaps.
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.at(-1)).toBe(next.body.ticketNumber);
});

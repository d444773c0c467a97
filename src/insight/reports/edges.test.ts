import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { deleteTickets } from '../../helpdesk/tickets/delete-tickets.ts';

const house = useHouse();
let owner: Person;
let ticketId: TicketId;

beforeEach(async () => {
  owner = await makeOwner(house);
  const ask = { subject: 's', body: 'b', requester: { email: 'ann@example.org' } };
  ticketId = (await owner.call('POST', '/tickets', ask)).body.id;
});

const run = (statement: Sql) => house.app.db.tx((tx) => tx.run(statement));
const moveTo = (at: string) =>
  run(sql`update tickets set created_at = ${at} where workspace_id = ${owner.workspaceId} and id = ${ticketId}`);
const overview = (from: string, to: string, more: string) =>
  owner.call('GET', `/reports/overview?from=${from}&to=${to}&${more}`);

test('days after one whose midnight a zone skips have their tickets', async () => {
  await moveTo('2026-09-08T12:00:00Z');
  const zone = 'interval=day&timeZone=America/Santiago';
  const { body } = await overview('2026-09-05T12:00:00Z', '2026-09-09T03:30:00Z', zone);
  expect(body.series.map(({ at, created }: any) => [at, created])).toEqual([
    ['2026-09-05T04:00:00.000Z', 0],
    ['2026-09-06T04:00:00.000Z', 0],
    ['2026-09-07T03:00:00.000Z', 0],
    ['2026-09-08T03:00:00.000Z', 1],
    ['2026-09-09T03:00:00.000Z', 0],
  ]);
});

test('what came in the last interval after the end is not in its backlog', async () => {
  await moveTo('2026-03-02T10:30:00Z');
  const { body } = await overview('2026-03-02T09:00:00Z', '2026-03-02T10:15:00Z', 'interval=hour');
  expect(body.series.map(({ backlog }: any) => backlog)).toEqual([0, 0]);
  const later = await overview('2026-03-02T09:00:00Z', '2026-03-02T11:15:00Z', 'interval=hour');
  expect(later.body.series.map(({ backlog }: any) => backlog)).toEqual([0, 1, 1]);
});

test('a mail from an impossible time stops no report', async () => {
  await run(sql`
    update messages set created_at = '1900-01-01'
    where workspace_id = ${owner.workspaceId} and ticket_id = ${ticketId}`);
  await owner.call('POST', `/tickets/${ticketId}/messages`, { body: 'Yes.' });
  const { from, to } = spanNow();
  const { status, body } = await overview(from, to, 'interval=day');
  expect([status, body.figures?.firstResponse.median]).toEqual([200, 2 ** 31 - 1]);
});

test('a ticket that is deleted while its figures are made stops no report', async () => {
  const { from, to } = spanNow();
  let report: ReturnType<typeof overview> | undefined;
  await house.app.db.tx(async (tx) => {
    await deleteTickets(tx, owner.workspaceId, [ticketId]);
    report = overview(from, to, 'interval=day');
    const waits = sql`select pid from pg_locks where not granted`;
    while ((await tx.rows(waits)).length === 0) await sleep(20);
  });
  const { status, body } = (await report) ?? {};
  expect([status, body.figures.created]).toEqual([200, 0]);
});

test.each([
  'created',
  'created/1/2',
  'created/0000-01-01T00:00:00Z/2026-01-01T00:00:00Z',
  'created/2026-01-01T00:00:00Z/%2B275760-01-01T00:00:00Z',
  'created/2026-01-01T00:00:00Z/2026-01-01T00:00:00Z',
  'constructor/2025-01-01T00:00:00Z/2026-01-01T00:00:00Z',
  'created/2025-01-01T00:00:00Z/2026-01-01T00:00:00Z/',
])('a list refuses what happened as %s', async (happened) => {
  expect((await owner.call('GET', `/tickets?happened=${happened}`)).status).toBe(400);
});

function spanNow() {
  const now = Date.now();
  return { from: new Date(now - 3_600_000).toISOString(), to: new Date(now + 3_600_000).toISOString() };
}

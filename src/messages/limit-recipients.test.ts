import { beforeEach, expect, test } from 'vitest';
import { makeOwner, type Person } from '../../test/factories.ts';
import { useHouse } from '../../test/harness.ts';
import { ingest, mailOf, ticketsOf } from '../../test/mails.ts';
import type { TicketId } from '../lib/ids.ts';

const house = useHouse({ NEW_RECIPIENTS_PER_DAY: '5' });
let owner: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
});

const strangers = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => `stranger-${from + at}@example.net`);
const mailTo = (toAddresses: string[], more: object = {}) =>
  owner.call('POST', '/tickets', { subject: 'Hello', body: 'b', sendEmail: true, toAddresses, ...more });
const limited = { status: 429, body: { key: 'workspace.recipient_limit', params: { max: 5 } } };

async function reply(ticketId: TicketId, input: object = {}) {
  return owner.call('POST', `/tickets/${ticketId}/messages`, { body: 'b', sendEmail: true, ...input });
}

test('a workspace that mails hundreds of strangers is refused, and the refused mail leaves no trace', async () => {
  const answer = await mailTo(strangers(100));
  expect(answer).toMatchObject(limited);
  expect(await ticketsOf(owner)).toEqual([]);
  await house.drain();
  expect((await house.outbox()).filter((mail) => mail.includes('stranger-'))).toEqual([]);
  // The refused mailing did not count.
  expect((await mailTo(strangers(5))).status).toBe(201);
});

test('the limit covers tickets and answers, To and Cc, and each workspace separately', async () => {
  const { body: ticket } = await mailTo(strangers(3));
  expect((await reply(ticket.id, { toAddresses: strangers(1), ccAddresses: strangers(2, 3) })).status).toBe(201);
  expect(await reply(ticket.id, { toAddresses: strangers(1), ccAddresses: strangers(1, 5) })).toMatchObject(limited);
  expect(await mailTo(strangers(1, 5))).toMatchObject(limited);
  const other = await makeOwner(house);
  const input = { subject: 'Hello', body: 'b', sendEmail: true, toAddresses: strangers(5) };
  expect((await other.call('POST', '/tickets', input)).status).toBe(201);
});

test('a known address is no new recipient, in any spelling', async () => {
  const { body: ticket } = await mailTo(strangers(5));
  expect((await reply(ticket.id, { toAddresses: ['Stranger-0@EXAMPLE.net', ...strangers(4, 1)] })).status).toBe(201);
});

test('people who wrote first by mail do not count, but requesters whom only the API named do', async () => {
  await mailTo(strangers(5));
  await ingest(house, owner, [mailOf({ headers: { From: 'Ann <ann@example.org>', To: '' } })]);
  const byMail = (await ticketsOf(owner)).at(-1);
  expect((await reply(byMail.id)).status).toBe(201);
  const { body: byApi } = await owner.call('POST', '/tickets', {
    subject: 'By a form',
    body: 'b',
    requester: { email: 'form@example.org' },
  });
  expect(await reply(byApi.id)).toMatchObject(limited);
});

test('concurrent mailings together stay within the limit', async () => {
  const answers = await Promise.all(strangers(12).map((email) => mailTo([email])));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
});

test('the refusal has Retry-After, and the same request with its idempotency key succeeds then', async () => {
  await mailTo(strangers(4));
  house.clock.advance(1_800_000);
  await mailTo(strangers(1, 4));
  const key = { 'idempotency-key': 'again' };
  const input = { subject: 'Later', body: 'b', sendEmail: true, toAddresses: strangers(1, 5) };
  const refused = await owner.call('POST', '/tickets', input, key);
  expect(refused).toMatchObject(limited);
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(84_000);
  expect(seconds).toBeLessThanOrEqual(84_600);
  house.clock.advance((seconds + 1) * 1_000);
  // The access token has expired meanwhile.
  const token = house.app.tokens.sign(owner);
  const later = await owner.call('POST', '/tickets', input, { ...key, authorization: `Bearer ${token}` });
  expect(later.status).toBe(201);
});

test('accepted mail still leaves after the limit is reached', async () => {
  await mailTo(strangers(5), { sendAfterSeconds: 30 });
  expect(await mailTo(strangers(1, 5))).toMatchObject(limited);
  await house.app.db.pool.query('update graphile_worker._private_jobs set run_at = now()');
  await house.drain();
  const sent = (await house.outbox()).at(-1);
  for (const email of strangers(5)) expect(sent).toContain(email);
});

import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { putMailbox } from '../../../test/worlds/put-mailbox.ts';
import { keepPlans } from '../../ground/database/keep-plans.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { limitNewRecipients } from './limit-recipients.ts';

const house = useHouse({
  NEW_RECIPIENTS_PER_DAY: '5',
  NEW_RECIPIENTS_PER_DAY_AND_ACCOUNT: '8',
  WORKSPACES_PER_DAY_AND_ACCOUNT: '3',
  MAIL_AUTHSERV_ID: 'mx.kontor.example',
});
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

const proved = 'mx.kontor.example; dmarc=pass header.from=example.org';
const wrote = (email: string, results = '') =>
  mailOf({ headers: { From: email, To: '', 'Authentication-Results': results } });

test('people who proved that they wrote first do not count', async () => {
  await mailTo(strangers(5));
  await ingest(house, owner, [wrote('Ann <Ann@Example.org>', proved)]);
  const byMail = (await ticketsOf(owner)).at(-1);
  expect((await reply(byMail.id)).status).toBe(201);
});

test.each<[string, () => Promise<unknown>]>([
  ['a mail that nothing proves', () => ingest(house, owner, [wrote('ann@example.org')])],
  ['a forged mail', () => ingest(house, owner, [wrote('ann@example.org', proved.replace('pass', 'fail'))])],
  ['an imported mail', () => ingest(house, owner, [wrote('ann@example.org', proved)], 'import')],
  [
    'the API',
    () => owner.call('POST', '/tickets', { subject: 'Form', body: 'b', requester: { email: 'ann@example.org' } }),
  ],
  [
    'a merge with a person who wrote',
    async () => {
      const requester = { email: 'ann@example.org' };
      await owner.call('POST', '/tickets', { subject: 'Form', body: 'b', requester });
      await ingest(house, owner, [wrote('bob@example.org', proved)]);
      const people = (await owner.call('GET', '/contacts')).body;
      const idOf = (email: string) => people.find((person: { email: string }) => person.email === email).id;
      const merge = { targetContactId: idOf('bob@example.org') };
      const merged = await owner.call('POST', `/contacts/${idOf('ann@example.org')}/merge`, merge);
      expect(merged.status).toBe(200);
    },
  ],
])('a person whom only %s names counts as new', async (_, name) => {
  await mailTo(strangers(5));
  await name();
  expect(await mailTo(['ann@example.org'])).toMatchObject(limited);
});

test('a mailbox may answer all who wrote to it, unless their mail was forged; the service itself may not', async () => {
  await mailTo(strangers(5));
  const address = 'team@example.com';
  const named = { workspaceId: owner.workspaceId, address, provider: 'imap', refreshToken: 'none' } as const;
  const { id: mailboxId } = await putMailbox(house, named);
  await ingest(house, owner, [wrote('ann@example.org'), wrote('eve@example.org', proved.replace('pass', 'fail'))]);
  const [ofAnn, ofEve] = (await ticketsOf(owner)).slice(-2);
  const { pool } = house.app.db;
  const places = [mailboxId, owner.workspaceId];
  await pool.query(`update raw_mails set mailbox_id = $1, source = 'imap' where workspace_id = $2`, places);
  await pool.query(`update tickets set mailbox_id = $1 where workspace_id = $2 and channel = 'email'`, places);
  expect(await mailTo(['ann@example.org'])).toMatchObject(limited);
  expect(await reply(ofEve.id, { toAddresses: ['eve@example.org'] })).toMatchObject(limited);
  expect((await reply(ofAnn.id)).status).toBe(201);
  expect((await mailTo(['ann@example.org'], { mailboxId })).status).toBe(201);
  await pool.query(`update mailboxes set status = 'disconnected' where id = $1`, [mailboxId]);
  expect(await reply(ofAnn.id)).toMatchObject(limited);
});

test('young workspaces share a limit, which old workspaces do not use up', async () => {
  const { pool } = house.app.db;
  await pool.query(`delete from day_counts where subject = 'recipients'`);
  const [young, old] = [await makeOwner(house), await makeOwner(house)];
  const age = `update workspaces set created_at = created_at - interval '31 days' where id = $1`;
  await pool.query(age, [old.workspaceId]);
  const write = ({ workspaceId }: Person, emails: string[]) =>
    house.app.db.tx((tx) => {
      const newRecipientsPerDay = { workspace: 0, account: 0, installation: 3 };
      const limited = { ...tx, settings: { ...tx.settings, newRecipientsPerDay } };
      return limitNewRecipients(limited, { workspaceId, emails });
    });
  await write(young, strangers(2));
  await write(old, strangers(20));
  const refused = { key: 'workspace.recipient_limit', params: { max: 3 } };
  await expect(write(owner, strangers(2, 2))).rejects.toMatchObject(refused);
  await write(owner, strangers(1, 2));
  await expect(write(young, strangers(1, 3))).rejects.toMatchObject(refused);
  await write(old, strangers(20, 20));
});

/** A further workspace of the same owner. */
async function anotherWorkspace() {
  const { body } = await owner.call('POST', '/v1/workspaces', { name: 'Another' });
  const headers = { 'x-workspace-id': body.id };
  return (path: string, input: object) => owner.call('POST', `/v1/workspaces/${body.id}${path}`, input, headers);
}

test('an account has a limit for all its workspaces, and another account has its own', async () => {
  await mailTo(strangers(5));
  const call = await anotherWorkspace();
  const input = { subject: 'Hello', body: 'b', sendEmail: true };
  expect((await call('/tickets', { ...input, toAddresses: strangers(3, 5) })).status).toBe(201);
  const refused = await call('/tickets', { ...input, toAddresses: strangers(1, 8) });
  expect(refused).toMatchObject({ status: 429, body: { key: 'workspace.recipient_limit', params: { max: 8 } } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
  // A known address is no new recipient there either.
  expect((await call('/tickets', { ...input, toAddresses: strangers(1, 5) })).status).toBe(201);
  const other = await makeOwner(house);
  expect((await other.call('POST', '/tickets', { ...input, toAddresses: strangers(1, 8) })).status).toBe(201);
});

test('concurrent mailings of several workspaces together stay within the limit of their account', async () => {
  const second = await anotherWorkspace();
  const third = await anotherWorkspace();
  const input = (email: string) => ({ subject: 'Hello', body: 'b', sendEmail: true, toAddresses: [email] });
  const answers = await Promise.all(
    strangers(12).map((email, at) => (at % 2 === 0 ? second : third)('/tickets', input(email))),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(8);
});

test('invitations count, and leave no trace when they are refused', async () => {
  const invite = (email: string) => owner.call('POST', '/invites', { email, role: 'agent' });
  await mailTo(strangers(3));
  for (const email of strangers(2, 3)) expect((await invite(email)).status).toBe(201);
  expect(await invite('one-more@example.net')).toMatchObject(limited);
  expect((await owner.call('GET', '/invites')).body).toHaveLength(2);
});

test('an account creates only so many workspaces a day, also at the same time', async () => {
  const create = () => owner.call('POST', '/v1/workspaces', { name: 'Another' });
  const answers = await Promise.all(Array.from({ length: 5 }, create));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429]);
  house.clock.advance(86_401_000);
  const authorization = `Bearer ${house.app.tokens.sign(owner)}`;
  expect((await owner.call('POST', '/v1/workspaces', { name: 'Another' }, { authorization })).status).toBe(201);
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
  await mailTo(strangers(5, 500), { sendAfterSeconds: 30 });
  expect(await mailTo(strangers(1, 505))).toMatchObject(limited);
  await house.app.db.pool.query('update graphile_worker._private_jobs set run_at = now()');
  await house.drain();
  const sent = (await house.outbox()).filter((mail) => strangers(5, 500).every((email) => mail.includes(email)));
  expect(sent).not.toEqual([]);
});

test('a mailing looks up its recipients, and does not read all of the workspace', async () => {
  const mailed = 4_000;
  await house.app.db.rows(sql`
    insert into mailed_recipients (workspace_id, email_key, first_mailed_at)
    select ${owner.workspaceId}, 'mailed' || n || '@example.net', now() - interval '2 days'
    from generate_series(1, ${mailed}::int) n`);
  await house.app.db.rows(sql`analyze mailed_recipients`);
  const read = await house.app.db.tx(async (tx) => {
    // The counters may still have what the session read before.
    const rowsRead = async () => {
      const { rows } = await tx.one<{ rows: number }>(sql`
        select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
        where relname = 'mailed_recipients'`);
      return rows;
    };
    await keepPlans(tx);
    const before = await rowsRead();
    await limitNewRecipients(tx, { workspaceId: owner.workspaceId, emails: ['mailed1@example.net'] });
    return (await rowsRead()) - before;
  });
  expect(read).toBeLessThan(10);
});

/** Habits of real IMAP servers that have cost other programs mail. */
import { beforeEach, describe, expect, test } from 'vitest';
import { ticketsOf } from '../../test/mails.ts';
import { mailOf, useImapMail } from '../../test/use-imap-mail.ts';
import { sql } from '../database/sql.ts';

const { house, server, openDesk } = await useImapMail();
const usual = { ...server.quirks };

beforeEach(async () => {
  await house.app.db.tx((tx) => tx.run(sql`update mailboxes set status = 'paused'`));
  Object.assign(server.quirks, usual);
  server.clearFaults();
});

type Desk = Awaited<ReturnType<typeof openDesk>>;
/** From the tables, because tokens expire when the clock advances. */
const subjectsOf = async ({ owner }: Desk) => {
  const tickets = await house.app.db.rows<{ subject: string }>(sql`
    select subject from tickets where workspace_id = ${owner.workspaceId} order by subject`);
  return tickets.map(({ subject }) => subject);
};
const statusOf = ({ id }: Desk) =>
  house.app.db.one<{ status: string; statusReason: string | null; stuckMails: number }>(sql`
    select status, status_reason as "statusReason",
      (select count(*)::integer from mailbox_stuck_mails k where k.mailbox_id = m.id) as "stuckMails"
    from mailboxes m where id = ${id}`);
const hourMs = 3_600_000;

test.each([
  ['RFC822 empty (iCloud)', { hasEmptyRfc822: true }],
  ['HIGHESTMODSEQ 0 (Purelymail)', { highestModSeq: 'zero' as const }],
  ['NOMODSEQ', { highestModSeq: 'none' as const }],
  [
    'HIGHESTMODSEQ without CONDSTORE (Yahoo)',
    { hiddenCapabilities: ['CONDSTORE'], extraCapabilities: ['XYMHIGHESTMODSEQ'] },
  ],
  ['UIDVALIDITY 0', { hasZeroUidValidity: true }],
  ['folders that open only after ID (163.com)', { needsId: true }],
  ['an ENVELOPE that is NIL', { hasNilEnvelope: true }],
  ['three connections at most', { connectionsMax: 3 }],
])('mail is taken once from a server with %s', async (_habit, quirks) => {
  Object.assign(server.quirks, quirks);
  const desk = await openDesk();
  for (const subject of ['First', 'Second']) {
    server.deliver(desk.address, { raw: mailOf(subject) });
    await desk.read();
    await desk.read();
  }
  expect(await subjectsOf(desk)).toEqual(['First', 'Second']);
});

test('a mail without Message-ID, or without any header, is taken', async () => {
  const desk = await openDesk();
  server.deliver(desk.address, { raw: 'From: mia@example.com\r\nSubject: Nameless\r\n\r\nGood day.\r\n' });
  server.deliver(desk.address, { raw: 'no header at all' });
  await desk.read();
  expect(await ticketsOf(desk.owner)).toHaveLength(2);
});

test('a mail that FETCH of a range leaves out is taken when a list is read anew (Yahoo)', async () => {
  const desk = await openDesk();
  for (const subject of ['Left out', 'Shown']) server.deliver(desk.address, { raw: mailOf(subject) });
  server.renewUidValidity(desk.address);
  server.quirks.omittedUids = new Set([1]);
  await desk.read();
  expect(await subjectsOf(desk)).toEqual(['Left out', 'Shown']);
});

describe('UIDVALIDITY', () => {
  test('that changes doubles nothing and loses nothing', async () => {
    const desk = await openDesk();
    server.deliver(desk.address, { raw: mailOf('Before') });
    await desk.read();
    server.deliver(desk.address, { raw: mailOf('Unread') });
    server.renewUidValidity(desk.address);
    await desk.read();
    server.deliver(desk.address, { raw: mailOf('After') });
    await desk.read();
    expect(await subjectsOf(desk)).toEqual(['After', 'Before', 'Unread']);
  });

  test('of a server that moved and stamps today on old mail: old mail tells nobody', async () => {
    const desk = await openDesk();
    await house.app.db.tx((tx) =>
      tx.run(sql`
        update mailboxes set connected_at = connected_at - interval '30 days', history_days = 365
        where id = ${desk.id}`),
    );
    const at = (days: number) => new Date(house.clock.now().getTime() - days * 24 * hourMs);
    server.deliver(desk.address, { raw: mailOf('Old', [], at(20)), internalDate: house.clock.now() });
    server.deliver(desk.address, { raw: mailOf('Young', [], at(0)), internalDate: house.clock.now() });
    server.renewUidValidity(desk.address, { internalDate: house.clock.now() });
    await desk.read();
    expect(await subjectsOf(desk)).toEqual(['Young']);
  });
});

describe('a server that announces 10 GB for each mail', () => {
  test('costs no memory, and delays no other mail once it is right again', async () => {
    const desk = await openDesk();
    server.quirks.announcedBytes = 10 * 1024 ** 3;
    server.deliver(desk.address, { raw: mailOf('Huge') });
    const before = process.memoryUsage().rss;
    await desk.read();
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    expect(await subjectsOf(desk)).toEqual([]);
    expect(await statusOf(desk)).toMatchObject({ status: 'active', stuckMails: 1 });
    server.quirks.announcedBytes = null;
    server.deliver(desk.address, { raw: mailOf('Next') });
    await desk.read();
    expect(await subjectsOf(desk)).toEqual(['Next']);
    house.clock.advance(hourMs);
    await desk.read();
    expect(await subjectsOf(desk)).toEqual(['Huge', 'Next']);
  });
});

describe('a refused sign-in', () => {
  test.each(['UNAVAILABLE', 'LIMIT', 'CONTACTADMIN'] as const)('with %s passes', async (loginRefusal) => {
    const desk = await openDesk();
    server.dropConnections();
    server.quirks.loginRefusal = loginRefusal;
    await desk.read();
    expect(await statusOf(desk)).toMatchObject({ status: 'active' });
    server.quirks.loginRefusal = null;
    server.deliver(desk.address, { raw: mailOf('Later') });
    house.clock.advance(hourMs);
    await desk.read();
    expect(await subjectsOf(desk)).toEqual(['Later']);
  });

  test('with AUTHENTICATIONFAILED asks for a password, and nothing is tried until it comes', async () => {
    const desk = await openDesk();
    server.dropConnections();
    desk.account.password = 'changed';
    await desk.read();
    expect(await statusOf(desk)).toMatchObject({ status: 'reauthorization_required' });
    const before = server.commands.filter((name) => name === 'LOGIN' || name === 'AUTHENTICATE').length;
    house.clock.advance(hourMs / 6);
    await desk.read();
    expect(server.commands.filter((name) => name === 'LOGIN' || name === 'AUTHENTICATE').length).toBe(before);
    server.deliver(desk.address, { raw: mailOf('Meanwhile') });
    const again = await desk.owner.call('POST', '/mailboxes', { ...desk.body, password: 'changed' });
    expect(again).toMatchObject({ status: 201, body: { id: desk.id, status: 'active' } });
    await desk.read();
    expect(await subjectsOf(desk)).toEqual(['Meanwhile']);
  });
});

test('a folder that is gone is named in the status, and its mailbox works once it is back', async () => {
  const desk = await openDesk();
  desk.account.folders.delete('Sent');
  await desk.read();
  expect(await statusOf(desk)).toMatchObject({ status: 'error', statusReason: expect.stringContaining('Sent') });
  server.addFolder(desk.address, 'Sent', '\\Sent');
  server.deliver(desk.address, { raw: mailOf('Later') });
  house.clock.advance(2 * hourMs);
  await desk.read();
  expect(await statusOf(desk)).toMatchObject({ status: 'active' });
  expect(await subjectsOf(desk)).toEqual(['Later']);
});

test.each(['FETCH', 'SEARCH', 'EXAMINE'])('a round that breaks at %s is made good by the next', async (on) => {
  const desk = await openDesk();
  for (const kind of ['dropped', 'bye', 'no', 'late'] as const) {
    server.deliver(desk.address, { raw: mailOf(kind) });
    server.setFault({ on, kind });
    await desk.read().catch(() => undefined);
    server.clearFaults();
    house.clock.advance(2 * hourMs);
    await desk.read();
  }
  expect(await subjectsOf(desk)).toEqual(['bye', 'dropped', 'late', 'no']);
});

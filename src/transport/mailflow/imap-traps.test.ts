/** Habits of real IMAP servers that have cost other programs mail. */
import { beforeEach, describe, expect, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { mailOf, useImapMail } from '../../../test/worlds/use-imap-mail.ts';
import { sql } from '../../ground/database/sql.ts';

const { house, server, openDesk, subjectsOf, beginAnew } = await useImapMail();

beforeEach(beginAnew);

type Desk = Awaited<ReturnType<typeof openDesk>>;
const statusOf = ({ id, owner }: Desk) =>
  house.app.db.one<{ status: string; statusReason: string | null; stuckMails: number }>(sql`
    select status, status_reason as "statusReason",
      (
        select count(*)::integer from mailbox_stuck_mails k
        where k.workspace_id = ${owner.workspaceId} and k.mailbox_id = ${id}
      ) as "stuckMails"
    from mailboxes m where m.workspace_id = ${owner.workspaceId} and m.id = ${id}`);
const hourMs = 3_600_000;
/** Moves the cursor past all mails that are there. */
async function passOver({ id, address }: Desk): Promise<void> {
  const places = ['INBOX', 'Sent'].map((path) => ({ path, uidNext: server.folder(address, path).uidNext }));
  const { cursor } = await house.app.db.one<{ cursor: string }>(sql`
    select cursor from mailbox_syncs where mailbox_id = ${id}`);
  const read = JSON.parse(cursor);
  for (const { path, uidNext } of places) {
    const folder = read.folders.find((each: { path: string }) => each.path === path);
    Object.assign(folder, { uidNext, samples: undefined });
  }
  await house.app.db.tx((tx) =>
    tx.run(sql`update mailbox_syncs set cursor = ${JSON.stringify(read)} where mailbox_id = ${id}`),
  );
}

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

describe('CONDSTORE', () => {
  /** The commands that read mail in a round without new mail. */
  async function askedInVain(desk: Desk): Promise<string[]> {
    const before = server.commands.length;
    await desk.read();
    return server.commands.slice(before).filter((name) => name === 'SEARCH' || name === 'FETCH');
  }

  test.each([
    ['with it, a folder without changes is asked nothing', [], 0],
    ['without it, the marks of known mails are looked at', ['CONDSTORE', 'QRESYNC'], 1],
  ])('%s, and the same mail is taken', async (_what, hiddenCapabilities, asksMin) => {
    Object.assign(server.quirks, { hiddenCapabilities });
    const desk = await openDesk();
    for (const subject of ['First', 'Second']) {
      server.deliver(desk.address, { raw: mailOf(subject) });
      await desk.read();
    }
    const asked = await askedInVain(desk);
    if (asksMin === 0) expect(asked).toEqual([]);
    else expect(asked.length).toBeGreaterThanOrEqual(asksMin);
    server.deliver(desk.address, { raw: mailOf('Third') });
    await desk.read();
    expect(await subjectsOf(desk)).toEqual(['First', 'Second', 'Third']);
  });
});

test('a mail without Message-ID, or without any header, is taken', async () => {
  const desk = await openDesk();
  server.deliver(desk.address, { raw: 'From: mia@example.com\r\nSubject: Nameless\r\n\r\nGood day.\r\n' });
  server.deliver(desk.address, { raw: 'no header at all' });
  await desk.read();
  const [, bare, ...more] = await ticketsOf(desk.owner);
  expect(more).toEqual([]);
  const { messages } = await ticketOf(desk.owner, bare.id);
  expect(messages).toMatchObject([{ body: 'no header at all', attachments: [] }]);
});

test('a mail that FETCH of a range leaves out is taken when a list is read anew (Yahoo)', async () => {
  const desk = await openDesk();
  for (const subject of ['Left out', 'Shown']) server.deliver(desk.address, { raw: mailOf(subject) });
  server.renewUidValidity(desk.address);
  server.quirks.omittedUids = new Set([1]);
  await desk.read();
  expect(await subjectsOf(desk)).toEqual(['Left out', 'Shown']);
});

describe('once a day', () => {
  test('mail of the last 14 days that no list named is found, in every folder', async () => {
    const desk = await openDesk();
    await house.app.db.tx((tx) =>
      tx.run(sql`update mailboxes set connected_at = ${earlier(sql`connected_at`, '30 days')} where id = ${desk.id}`),
    );
    house.clock.advance(25 * hourMs);
    await desk.read();
    const days = (count: number) => new Date(house.clock.now().getTime() - count * 24 * hourMs);
    // As if the mail had hidden while its number was passed.
    for (const [subject, at] of [
      ['Hidden', 10],
      ['Older', 20],
    ] as const)
      server.deliver(desk.address, { raw: mailOf(subject, [], days(at)), internalDate: days(at) });
    server.deliver(desk.address, { raw: mailOf('Sent by hand'), path: 'Sent', internalDate: days(3) });
    await passOver(desk);
    await desk.read();
    house.clock.advance(2 * hourMs);
    await desk.read();
    expect(await subjectsOf(desk)).toEqual([]);
    house.clock.advance(23 * hourMs);
    await desk.read();
    expect(await subjectsOf(desk)).toEqual(['Hidden', 'Sent by hand']);
    expect(
      await house.app.db.one(sql`
      select missed_mails as missed from mailbox_syncs where mailbox_id = ${desk.id}`),
    ).toEqual({ missed: 2 });
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
    const { provider, address } = desk.body;
    const again = await desk.owner.call('POST', '/mailboxes', { provider, address, password: 'changed' });
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
  // The mail of customers does not wait for the other folder.
  server.deliver(desk.address, { raw: mailOf('Meanwhile') });
  house.clock.advance(hourMs / 2);
  await desk.read();
  expect(await subjectsOf(desk)).toEqual(['Meanwhile']);
  // Connecting again finds the folder under another name, too.
  server.addFolder(desk.address, 'Gesendet', '\\Sent');
  const { provider, address } = desk.body;
  const again = await desk.owner.call('POST', '/mailboxes', { provider, address, password: 'secret' });
  expect(again).toMatchObject({ status: 201, body: { id: desk.id } });
  server.deliver(desk.address, { raw: mailOf('Later') });
  house.clock.advance(2 * hourMs);
  await desk.read();
  expect(await statusOf(desk)).toMatchObject({ status: 'active' });
  expect((await subjectsOf(desk)).sort()).toEqual(['Later', 'Meanwhile']);
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

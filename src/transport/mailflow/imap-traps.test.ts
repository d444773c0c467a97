/** Habits of real IMAP servers that have cost other programs mail. */
import { beforeEach, describe, expect, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { mailOf, useImapMail } from '../../../test/worlds/use-imap-mail.ts';
import { sql } from '../../ground/database/sql.ts';
import { getMailbox } from '../../mail/mailboxes/queries.ts';

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
const statusOf = ({ id, owner }: Desk) =>
  house.app.db.one<{ status: string; statusReason: string | null; stuckMails: number }>(sql`
    select status, status_reason as "statusReason",
      (
        select count(*)::integer from mailbox_stuck_mails k
        where k.workspace_id = ${owner.workspaceId} and k.mailbox_id = ${id}
      ) as "stuckMails"
    from mailboxes m where m.workspace_id = ${owner.workspaceId} and m.id = ${id}`);
const hourMs = 3_600_000;
const originsOf = ({ owner }: Desk) =>
  house.app.db.rows<{ origin: string; count: number }>(sql`
    select case when is_history then 'history' else 'live' end as origin, count(*) from raw_mails
    where workspace_id = ${owner.workspaceId} group by 1 order by 1`);

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
        update mailboxes set connected_at = ${earlier(sql`connected_at`, '30 days')}, history_days = 365
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

describe('more than 100 unknown mails after a change of UIDVALIDITY', () => {
  test('tell nobody, and the status says so', async () => {
    const desk = await openDesk();
    server.deliver(desk.address, { raw: mailOf('Known') });
    await desk.read();
    for (let mail = 0; mail < 101; mail++) server.deliver(desk.address, { raw: mailOf('Moved') });
    server.renewUidValidity(desk.address);
    house.clock.advance(1_000);
    await desk.read();
    expect(await originsOf(desk)).toEqual([
      { origin: 'history', count: 101 },
      { origin: 'live', count: 1 },
    ]);
    const { statusReason, status } = await getMailbox(house.app.db, desk.mailbox);
    expect({ status, statusReason }).toEqual({ status: 'active', statusReason: expect.stringContaining('100') });
    server.deliver(desk.address, { raw: mailOf('Live') });
    await desk.read();
    expect(await originsOf(desk)).toMatchObject([{ count: 101 }, { origin: 'live', count: 2 }]);
    house.clock.advance(8 * 24 * hourMs);
    await desk.read();
    expect(await getMailbox(house.app.db, desk.mailbox)).toMatchObject({ statusReason: null });
  });

  test('up to 100 are new', async () => {
    const desk = await openDesk();
    for (let mail = 0; mail < 20; mail++) server.deliver(desk.address, { raw: mailOf('Known') });
    await desk.read();
    for (let mail = 0; mail < 100; mail++) server.deliver(desk.address, { raw: mailOf('New') });
    server.renewUidValidity(desk.address);
    await desk.read();
    expect(await originsOf(desk)).toEqual([{ origin: 'live', count: 120 }]);
  });
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

describe('a server that numbers its mails anew and keeps UIDVALIDITY', () => {
  /** The next mail gets a UID that another mail had. */
  const numberAnew = ({ address }: Desk) =>
    server.renewUidValidity(address, { uidValidity: server.folder(address).uidValidity });
  const deliver = ({ address }: Desk, ...subjects: string[]) => {
    for (const subject of subjects) server.deliver(address, { raw: mailOf(subject) });
  };

  test.each<[string, { gone: number[]; fresh: number }]>([
    ['below the last UID', { gone: [1, 2, 3], fresh: 1 }],
    ['up to the last UID', { gone: [1], fresh: 1 }],
    ['beyond the last UID', { gone: [1, 2, 3], fresh: 5 }],
  ])('loses no mail with a used UID: %s', async (_where, { gone, fresh }) => {
    for (const hasZeroUidValidity of [false, true]) {
      Object.assign(server.quirks, { hasZeroUidValidity });
      const desk = await openDesk();
      deliver(desk, 'Old 1', 'Old 2', 'Old 3');
      await desk.read();
      server.expunge(desk.address, gone);
      numberAnew(desk);
      const subjects = Array.from({ length: fresh }, (_, at) => `New ${at + 1}`);
      deliver(desk, ...subjects);
      await desk.read();
      await desk.read();
      expect(await subjectsOf(desk)).toEqual([...subjects, 'Old 1', 'Old 2', 'Old 3']);
    }
  });

  test('loses no mail in a folder that was empty', async () => {
    const desk = await openDesk();
    deliver(desk, 'Old');
    await desk.read();
    server.expunge(desk.address, [1]);
    await desk.read();
    numberAnew(desk);
    deliver(desk, 'New 1', 'New 2');
    await desk.read();
    expect(await subjectsOf(desk)).toEqual(['New 1', 'New 2', 'Old']);
  });

  test('loses no mail when a former UIDVALIDITY comes back', async () => {
    const desk = await openDesk();
    const { uidValidity } = server.folder(desk.address);
    deliver(desk, 'Old');
    await desk.read();
    server.renewUidValidity(desk.address);
    await desk.read();
    server.expunge(desk.address, [1]);
    server.renewUidValidity(desk.address, { uidValidity });
    deliver(desk, 'New');
    await desk.read();
    expect(await subjectsOf(desk)).toEqual(['New', 'Old']);
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

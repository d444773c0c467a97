/** What becomes of taken mail on its server, if the mailbox's owner chose that. */
import type { ImapFlow } from 'imapflow';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { syncMailbox } from '../../../test/harness/sync-now.ts';
import { hasCyrus, openCyrus } from '../../../test/peers/cyrus.ts';
import { hasDovecot, openDovecot, password } from '../../../test/peers/dovecot.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { ticketsOf } from '../../../test/worlds/mails.ts';
import { mailOf, useImapMail } from '../../../test/worlds/use-imap-mail.ts';
import { sql } from '../../ground/database/sql.ts';
import { getMailbox } from '../../mail/mailboxes/queries.ts';

const { house, server, openDesk: openEmulated } = await useImapMail();
const dovecot = hasDovecot ? await openDovecot() : undefined;
const cyrus = hasCyrus ? await openCyrus() : undefined;
afterAll(() => Promise.all([dovecot?.close(), cyrus?.close()]));
const usual = { ...server.quirks };

beforeEach(() => {
  Object.assign(server.quirks, usual);
  server.clearFaults();
});

let count = 0;
const seconds = 60_000;

/** The subjects in a folder, and which of them are seen. */
type Folder = { subject: string; isSeen: boolean }[];

async function openDesk(options: object = {}) {
  const desk = await openEmulated({ afterIntake: 'move', movePath: 'Archive', ...options });
  const { address } = desk;
  const folder = (path = 'INBOX'): Folder =>
    server.folder(address, path).mails.map(({ raw, flags }) => ({
      subject: /^Subject: (.*)\r$/m.exec(raw.toString())?.[1] ?? '',
      isSeen: flags.has('\\Seen'),
    }));
  /** Reads, and a minute later again. */
  const tidy = async () => {
    await desk.read();
    house.clock.advance(seconds);
    await desk.read();
  };
  const deliver = (subject: string, headers: string[] = []) =>
    server.deliver(address, { raw: mailOf(subject, headers) });
  const waiting = async () =>
    (
      await house.app.db.one<{ count: number }>(sql`
        select count(*)::integer as count from mailbox_after_intake where mailbox_id = ${desk.id}`)
    ).count;
  const subjects = async () =>
    (
      await house.app.db.rows<{ subject: string }>(sql`
        select subject from tickets where workspace_id = ${desk.owner.workspaceId} order by subject`)
    ).map(({ subject }) => subject);
  return { ...desk, folder, tidy, deliver, waiting, subjects };
}

describe.each([
  ['Dovecot (needs root and dovecot-imapd 2.3)', dovecot],
  ['Cyrus (needs root and cyrus-imapd)', cyrus],
])('at %s', (_name, server) => {
  const real = server as NonNullable<typeof server>;

  const seenIn = (address: string, path: string) =>
    real.as(address, async (client: ImapFlow) => {
      await client.mailboxOpen(path, { readOnly: true });
      const found: Folder = [];
      for await (const { envelope, flags } of client.fetch('1:*', { envelope: true, flags: true }))
        found.push({ subject: envelope?.subject ?? '', isSeen: flags?.has('\\Seen') === true });
      return found;
    });

  test.skipIf(server === undefined).each([
    ['seen', null, [{ subject: 'New', isSeen: true }], []],
    ['move', 'Junk', [], [{ subject: 'New', isSeen: false }]],
  ] as const)('`%s` does so', async (afterIntake, movePath, inbox, junk) => {
    const owner = await makeOwner(house);
    const address = `tidy${++count}@office.example`;
    const { imap, smtp } = real;
    if ('addMailbox' in real) real.addMailbox(address);
    const body = { provider: 'imap', address, imap, smtp, password, afterIntake, movePath };
    const connected = await owner.call('POST', '/mailboxes', body);
    expect(connected.status).toBe(201);
    const read = async () => {
      await syncMailbox(house.app, { workspaceId: owner.workspaceId, mailboxId: connected.body.id });
      await house.drain();
    };
    await read();
    await real.as(address, (client) => client.append('INBOX', mailOf('New')));
    await read();
    // The server dates mail by its own clock, so the clock of the house must not go ahead.
    await house.app.db.tx((tx) =>
      tx.run(sql`update mailbox_after_intake set due_at = ${earlier(sql`due_at`, '1 minute')}`),
    );
    await read();
    await read();
    expect(await seenIn(address, 'INBOX')).toEqual(inbox);
    expect(await seenIn(address, 'Junk')).toEqual(junk);
    expect(await ticketsOf(owner)).toMatchObject([{ subject: 'New', messageCount: 1 }]);
  });
});

describe('by default', () => {
  test('nothing on the server changes', async () => {
    const desk = await openDesk({ afterIntake: undefined, movePath: undefined });
    desk.deliver('Question');
    const before = server.commands.length;
    await desk.tidy();
    expect(desk.folder()).toEqual([{ subject: 'Question', isSeen: false }]);
    const changing = ['SELECT', 'STORE', 'UID STORE', 'COPY', 'UID COPY', 'MOVE', 'UID MOVE', 'UID EXPUNGE', 'EXPUNGE'];
    expect(server.commands.slice(before).filter((name) => changing.includes(name))).toEqual([]);
  });
});

test('`seen` marks new mail as read once it is a message, and no older mail', async () => {
  const desk = await openDesk({ afterIntake: 'seen', movePath: undefined });
  server.deliver(desk.address, {
    raw: mailOf('Old', [], new Date(house.clock.now().getTime() - 9 * 86_400_000)),
  });
  desk.deliver('New');
  await desk.tidy();
  expect(await desk.subjects()).toEqual(['New', 'Old']);
  expect(desk.folder()).toEqual([
    { subject: 'Old', isSeen: false },
    { subject: 'New', isSeen: true },
  ]);
  expect(await desk.waiting()).toBe(0);
});

test('`move` moves a mail once, which counts neither as new nor as gone', async () => {
  const desk = await openDesk();
  desk.deliver('First');
  await desk.tidy();
  desk.deliver('Second');
  await desk.tidy();
  expect(desk.folder()).toEqual([]);
  expect(desk.folder('Archive').map(({ subject }) => subject)).toEqual(['First', 'Second']);
  house.clock.advance(25 * 3_600_000);
  await desk.read();
  expect(await desk.subjects()).toEqual(['First', 'Second']);
  const missed = await house.app.db.one(sql`
    select missed_mails as missed from mailbox_syncs where mailbox_id = ${desk.id}`);
  expect(missed).toEqual({ missed: 0 });
});

test('a mail that somebody puts back stays there', async () => {
  const desk = await openDesk();
  const raw = mailOf('Question');
  server.deliver(desk.address, { raw });
  await desk.tidy();
  server.expunge(desk.address, [1], 'Archive');
  server.deliver(desk.address, { raw });
  await desk.tidy();
  expect(desk.folder()).toHaveLength(1);
  expect(await desk.subjects()).toEqual(['Question']);
});

test('a mail that is not a message yet stays as it is', async () => {
  const desk = await openDesk();
  desk.deliver('Question');
  await syncMailbox(house.app, desk.mailbox);
  house.clock.advance(seconds);
  await syncMailbox(house.app, desk.mailbox);
  expect(desk.folder()).toHaveLength(1);
  await house.drain();
  house.clock.advance(2 * seconds);
  await desk.read();
  expect(desk.folder()).toEqual([]);
});

test.each([
  ['MOVE', [], 'MOVE'],
  ['UIDPLUS alone', ['MOVE'], 'COPY'],
  ['UIDPLUS alone, after the copy', ['MOVE'], 'EXPUNGE'],
])('a connection that is lost while a server with %s moves mail doubles none', async (_what, hidden, on) => {
  for (const kind of ['dropped', 'late', 'no'] as const) {
    Object.assign(server.quirks, { hiddenCapabilities: hidden });
    const desk = await openDesk();
    desk.deliver('First');
    desk.deliver('Second');
    await desk.read();
    server.setFault({ on, kind });
    house.clock.advance(seconds);
    await desk.read();
    server.clearFaults();
    house.clock.advance(10 * seconds);
    await desk.read();
    expect(desk.folder()).toEqual([]);
    expect(desk.folder('Archive').map(({ subject }) => subject)).toEqual(['First', 'Second']);
    expect(await desk.subjects()).toEqual(['First', 'Second']);
  }
});

test('a folder that is gone delays nothing but the move, and the status says so', async () => {
  const desk = await openDesk();
  desk.account.folders.delete('Archive');
  desk.deliver('First');
  await desk.tidy();
  const { status, statusReason } = await getMailbox(house.app.db, desk.mailbox);
  expect({ status, statusReason }).toEqual({ status: 'active', statusReason: expect.stringContaining('Archive') });
  desk.deliver('Second');
  await desk.read();
  expect(await desk.subjects()).toEqual(['First', 'Second']);
  server.addFolder(desk.address, 'Archive');
  house.clock.advance(10 * seconds);
  await desk.read();
  expect(
    desk
      .folder('Archive')
      .map(({ subject }) => subject)
      .toSorted(),
  ).toEqual(['First', 'Second']);
});

test('a mail that got the number of a taken one is not moved', async () => {
  const desk = await openDesk();
  desk.deliver('Taken');
  await desk.read();
  const folder = server.folder(desk.address);
  const [mail] = folder.mails;
  if (mail !== undefined) mail.raw = Buffer.from(mailOf('Another'));
  await desk.tidy();
  expect(desk.folder('Archive').map(({ subject }) => subject)).not.toContain('Another');
});

describe('the choice', () => {
  const refused = (path: string) => ({ status: 400, body: { key: 'request.invalid', params: { issues: [{ path }] } } });

  test.each([
    ['without a folder', { afterIntake: 'move', movePath: null }, 'body.movePath'],
    ['to a folder that is not there', { afterIntake: 'move', movePath: 'Nowhere' }, 'body.movePath'],
    ['to a folder that is read', { afterIntake: 'move', movePath: 'INBOX' }, 'body.movePath'],
    ['to the folder of sent mail', { afterIntake: 'move', movePath: 'Sent' }, 'body.movePath'],
  ])('to move mail %s is refused', async (_what, options, path) => {
    const { connected } = await openEmulated(options);
    expect(connected).toMatchObject(refused(path));
  });

  test('to move mail is refused where the server cannot do it safely', async () => {
    server.quirks.hiddenCapabilities = ['MOVE', 'UIDPLUS'];
    const { connected } = await openEmulated({ afterIntake: 'move', movePath: 'Archive' });
    expect(connected).toMatchObject(refused('body.afterIntake'));
  });

  test('shows with the folders, may be changed, and holds for new mail alone', async () => {
    const desk = await openDesk({ afterIntake: undefined, movePath: undefined });
    desk.deliver('Before');
    await desk.read();
    const path = `/mailboxes/${desk.id}/folders`;
    expect((await desk.owner.call('GET', path)).body).toMatchObject({ afterIntake: 'leave', canMove: true });
    const changed = await desk.owner.call('PUT', path, { inboxPaths: ['INBOX'], afterIntake: 'seen' });
    expect(changed).toMatchObject({ status: 200, body: { afterIntake: 'seen', movePath: null } });
    desk.deliver('After');
    await desk.tidy();
    expect(desk.folder().filter(({ isSeen }) => isSeen)).toEqual([{ subject: 'After', isSeen: true }]);
    desk.deliver('Taken back');
    await desk.read();
    await desk.owner.call('PUT', path, { inboxPaths: ['INBOX'], afterIntake: 'leave' });
    expect(await desk.waiting()).toBe(0);
  });
});

test('a mail is not taken for moved because of another whose Message-ID contains its own, or is the same', async () => {
  server.quirks.hiddenCapabilities = ['MOVE'];
  const desk = await openDesk();
  const mails = [
    ['First', '11.shop@example.com'],
    ['Second', '1.shop@example.com'],
    ['Third, of the same id', '11.shop@example.com'],
  ] as const;
  for (const [subject, id] of mails) {
    const raw = `From: Mia <mia@example.com>\r\nSubject: ${subject}\r\nMessage-ID: <${id}>\r\n\r\nHi.\r\n`;
    server.deliver(desk.address, { raw });
    await desk.tidy();
    await desk.tidy();
  }
  expect(desk.folder()).toEqual([]);
  expect(desk.folder('Archive').map(({ subject }) => subject)).toEqual(mails.map(([subject]) => subject));
});

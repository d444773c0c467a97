import { expect, test } from 'vitest';
import { mailOf, useImapMail } from '../../../../test/worlds/use-imap-mail.ts';

const { server, openDesk } = await useImapMail();
const none = { onServer: 0, taken: 0, stuck: 0, waiting: 0, skipped: 0, older: 0, oldestUntakenAt: null };

test('each mail of a folder is taken, stuck, waiting, skipped or older', async () => {
  const desk = await openDesk();
  const intake = async () => (await desk.owner.call('GET', `/mailboxes/${desk.id}/intake`)).body;
  server.deliver(desk.address, { raw: mailOf('First') });
  await desk.read();
  server.quirks.announcedBytes = 10 * 1024 ** 3;
  server.deliver(desk.address, { raw: mailOf('Huge') });
  await desk.read();
  server.quirks.announcedBytes = null;
  const internalDate = new Date('2026-01-02T03:04:05.000Z');
  server.deliver(desk.address, { raw: mailOf('Waiting'), internalDate });
  server.deliver(desk.address, { raw: mailOf('Draft'), flags: ['\\Draft'] });
  server.deliver(desk.address, { raw: mailOf('Marked'), flags: ['\\Deleted'] });
  expect(await intake()).toEqual({
    folders: [
      { ...none, path: 'Sent' },
      {
        ...none,
        path: 'INBOX',
        onServer: 5,
        taken: 1,
        stuck: 1,
        waiting: 1,
        skipped: 2,
        oldestUntakenAt: internalDate.toISOString(),
      },
    ],
  });
  server.expunge(desk.address, [1]);
  await desk.read();
  const [, inbox] = (await intake()).folders;
  expect(inbox).toMatchObject({ onServer: 4, taken: 1, stuck: 1, waiting: 0, skipped: 2 });
});

test('the mailbox of another workspace, or a disconnected one, is not found', async () => {
  const desk = await openDesk();
  await desk.owner.call('DELETE', `/mailboxes/${desk.id}`);
  const other = await openDesk();
  expect((await other.owner.call('GET', `/mailboxes/${desk.id}/intake`)).status).toBe(404);
  expect((await desk.owner.call('GET', `/mailboxes/${desk.id}/intake`)).status).toBe(404);
});

test('a server that does not answer is said to be unavailable', async () => {
  const desk = await openDesk();
  server.dropConnections();
  server.quirks.loginRefusal = 'UNAVAILABLE';
  expect((await desk.owner.call('GET', `/mailboxes/${desk.id}/intake`)).status).toBe(503);
  server.quirks.loginRefusal = null;
});

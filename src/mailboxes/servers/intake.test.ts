import { expect, test } from 'vitest';
import { mailOf, useImapMail } from '../../../test/use-imap-mail.ts';

const { server, openDesk } = await useImapMail();

test('each mail of a folder is taken, stuck, waiting or older', async () => {
  const desk = await openDesk();
  const intake = async () => (await desk.owner.call('GET', `/mailboxes/${desk.id}/intake`)).body;
  server.deliver(desk.address, { raw: mailOf('First') });
  await desk.read();
  server.quirks.announcedBytes = 10 * 1024 ** 3;
  server.deliver(desk.address, { raw: mailOf('Huge') });
  await desk.read();
  server.quirks.announcedBytes = null;
  server.deliver(desk.address, { raw: mailOf('Waiting') });
  expect(await intake()).toEqual({
    folders: [
      { path: 'Sent', onServer: 0, taken: 0, stuck: 0, waiting: 0, older: 0 },
      { path: 'INBOX', onServer: 3, taken: 1, stuck: 1, waiting: 1, older: 0 },
    ],
  });
  server.expunge(desk.address, [1]);
  await desk.read();
  const [, inbox] = (await intake()).folders;
  expect(inbox).toMatchObject({ onServer: 2, taken: 1, stuck: 1, waiting: 0 });
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

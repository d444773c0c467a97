import { beforeEach, expect, test } from 'vitest';
import { buildReplica } from '../../../../test/harness/harness.ts';
import { ticketOf, ticketsOf } from '../../../../test/worlds/mails.ts';
import { mailOf, useImapMail } from '../../../../test/worlds/use-imap-mail.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { MessageId, WorkspaceId } from '../../../ground/lib/ids.ts';
import { drain } from '../../../worker.ts';
import { fileCopy } from './file-copy.ts';

const { house, server, openDesk } = await useImapMail();
const usual = { ...server.quirks };

beforeEach(() => {
  Object.assign(server.quirks, usual);
  server.clearFaults();
});

async function openAskedDesk(options: object = {}) {
  const desk = await openDesk(options);
  server.deliver(desk.address, { raw: mailOf('Question') });
  await desk.read();
  const [{ id: ticketId }] = await ticketsOf(desk.owner);
  const answer = async () => {
    const given = { body: 'It is on its way.', sendEmail: true };
    expect((await desk.owner.call('POST', `/tickets/${ticketId}/messages`, given)).status).toBe(201);
    await house.drain();
    const { messages } = await ticketOf(desk.owner, ticketId);
    expect(messages.at(-1)).toMatchObject({ delivery: { status: 'sent' } });
  };
  const copies = () => server.folder(desk.address, 'Sent').mails.length;
  const submitted = () => server.submissions.filter(({ account }) => account === desk.address).length;
  const waitingCopies = async () =>
    (
      await house.app.db.one<{ count: number }>(sql`
        select count(*)::integer as count from unfiled_copies where workspace_id = ${desk.owner.workspaceId}`)
    ).count;
  const later = async (seconds: number) => {
    house.clock.advance(seconds * 1_000);
    await house.drain();
  };
  return { ...desk, answer, copies, submitted, waitingCopies, later };
}

test('the first answer waits for the server, then we file its copy, and others at once', async () => {
  const { answer, copies, submitted, waitingCopies, later } = await openAskedDesk();
  await answer();
  await later(6);
  await later(11);
  expect([copies(), await waitingCopies()]).toEqual([0, 1]);
  await later(46);
  expect([copies(), await waitingCopies()]).toEqual([1, 0]);
  await answer();
  expect([copies(), submitted(), await waitingCopies()]).toEqual([2, 2, 0]);
});

test('a server that files copies itself is left to it', async () => {
  server.quirks.filesSentCopies = true;
  const { answer, copies, waitingCopies, later } = await openAskedDesk();
  await answer();
  expect([copies(), await waitingCopies()]).toEqual([1, 1]);
  await later(6);
  expect([copies(), await waitingCopies()]).toEqual([1, 0]);
  await answer();
  expect([copies(), await waitingCopies()]).toEqual([2, 0]);
});

test('a copy outlives the process that sent, and is filed once by several', async () => {
  const { answer, copies, waitingCopies } = await openAskedDesk();
  await answer();
  const others = [await buildReplica(house), await buildReplica(house)];
  for (let look = 0; look < 3; look++) {
    house.clock.advance(60_000);
    await Promise.all(others.map(({ app }) => drain(app)));
  }
  await Promise.all(others.map(({ close }) => close()));
  expect([copies(), await waitingCopies()]).toEqual([1, 0]);
});

test('a copy is not filed twice when the connection breaks after it was filed', async () => {
  const { answer, copies, waitingCopies, later } = await openAskedDesk({ sentCopy: 'append' });
  server.setFault({ on: 'APPEND', kind: 'late' });
  await answer();
  expect([copies(), await waitingCopies()]).toEqual([1, 1]);
  await later(61);
  expect([copies(), await waitingCopies()]).toEqual([1, 0]);
});

test('a copy is filed later when the server ends the connection just before', async () => {
  const { answer, copies, waitingCopies, later } = await openAskedDesk({ sentCopy: 'append' });
  server.setFault({ on: 'SEARCH', kind: 'answered-bye', skips: 1 });
  await answer();
  expect([copies(), await waitingCopies()]).toEqual([0, 1]);
  await later(61);
  expect([copies(), await waitingCopies()]).toEqual([1, 0]);
});

test('a folder that takes no copies costs the copy, not the answer', async () => {
  const { answer, copies, submitted, waitingCopies, later } = await openAskedDesk({ sentCopy: 'append' });
  server.quirks.appendRefusal = 'OVERQUOTA';
  await answer();
  for (const seconds of [61, 301, 1_801, 7_201, 21_601]) await later(seconds);
  expect(await waitingCopies()).toBe(1);
  await later(43_201);
  expect([copies(), submitted(), await waitingCopies()]).toEqual([0, 1, 0]);
});

test('a mailbox that is disconnected needs no copies', async () => {
  const { owner, id, answer, copies, waitingCopies, later } = await openAskedDesk();
  await answer();
  expect((await owner.call('DELETE', `/mailboxes/${id}`)).status).toBe(204);
  await later(61);
  expect([copies(), await waitingCopies()]).toEqual([0, 0]);
});

test('many copies at once open one connection, and a full server costs none of them', async () => {
  const { owner, answer, copies, waitingCopies } = await openAskedDesk({ sentCopy: 'append' });
  for (let at = 0; at < 5; at++) await answer();
  const filed = copies();
  // All wait again, as after a restart.
  server.quirks.connectionsMax = 0;
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into unfiled_copies (workspace_id, message_id, mailbox_id, rfc_message_id, raw, due_at)
      select m.workspace_id, m.id, t.mailbox_id, 'again-' || m.id, 'Subject: x', now() - interval '1 day'
      from messages m join tickets t on t.workspace_id = m.workspace_id and t.id = m.ticket_id
      where m.workspace_id = ${owner.workspaceId} and m.direction = 'outbound'`),
  );
  server.dropConnections();
  const keys = await house.app.db.rows<{ workspaceId: WorkspaceId; messageId: MessageId }>(sql`
    select workspace_id as "workspaceId", message_id as "messageId" from unfiled_copies
    where workspace_id = ${owner.workspaceId}`);
  const fileAll = async () => {
    house.clock.advance(600_000);
    await Promise.all(keys.map((key) => fileCopy(house.app, key)));
  };
  for (let at = 0; at < 10; at++) await fileAll();
  expect(await waitingCopies()).toBe(5);
  server.quirks.connectionsMax = 1;
  for (let at = 0; at < 5; at++) await fileAll();
  expect([copies() - filed, await waitingCopies()]).toEqual([5, 0]);
});

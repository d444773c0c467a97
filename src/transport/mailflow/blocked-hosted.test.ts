import { expect, test } from 'vitest';
import { syncMailbox } from '../../../test/harness/sync-now.ts';
import { makeMember } from '../../../test/worlds/factories.ts';
import { ticketsOf } from '../../../test/worlds/mails.ts';
import { useHostedMail } from '../../../test/worlds/use-hosted-mail.ts';
import { sql } from '../../ground/database/sql.ts';

const { gmail, house, openDesk } = await useHostedMail();

test('a blocked writer neither tells the mailbox’s assignee nor takes a thread of the provider over', async () => {
  const { owner, connect, read } = await openDesk();
  const { workspaceId } = owner;
  const agent = await makeMember(house, workspaceId, 'agent');
  const mailbox = await connect({ defaultAssigneeId: agent.userId });
  await owner.call('POST', '/blocked-senders', { sender: 'offers.example' });
  const root = await gmail.deliver(mailbox.address, { from: 'ann@example.org', subject: 'Printer' });
  const deliver = async (from: string) => {
    await gmail.deliver(mailbox.address, { from, subject: 'Re: Printer', inReplyTo: 'x@y.example' });
    await syncMailbox(house.app, { workspaceId, mailboxId: mailbox.id });
    // As if Gmail had put all mail of the mailbox into one thread.
    await house.app.db.tx((tx) =>
      tx.run(sql`update mailbox_mails set thread_id = ${root.threadId} where workspace_id = ${workspaceId}`),
    );
  };
  await read(mailbox);
  await deliver('sam@offers.example');
  await house.drain();
  await deliver('lee@offers.example');
  await deliver('ben@example.org');
  await read(mailbox);
  expect(await ticketsOf(owner)).toMatchObject([{ requester: { email: 'ann@example.org' }, messageCount: 2 }]);
  const spam = (await owner.call('GET', '/tickets?spam=true')).body;
  expect(spam.map(({ requester }: any) => requester.email).sort()).toEqual([
    'lee@offers.example',
    'sam@offers.example',
  ]);
  expect(spam).toMatchObject([{ assigneeId: agent.userId }, { assigneeId: agent.userId }]);
  const told = async () =>
    (await agent.call('GET', '/notifications')).body.items.map(({ referenceId }: any) => referenceId);
  const spamIds = new Set(spam.map(({ id }: any) => id));
  expect((await told()).filter((id: string) => spamIds.has(id))).toEqual([]);
  await owner.call('POST', `/tickets/${spam[0].id}/not-spam`);
  expect((await told()).filter((id: string) => spamIds.has(id))).toEqual([spam[0].id]);
});

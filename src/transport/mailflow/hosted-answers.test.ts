import { describe, expect, test } from 'vitest';
import { syncMailbox } from '../../../test/harness/sync-now.ts';
import type { Person } from '../../../test/worlds/factories.ts';
import { ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import type { HostedMailbox } from '../../../test/worlds/put-mailbox.ts';
import { useHostedMail } from '../../../test/worlds/use-hosted-mail.ts';
import { sql } from '../../ground/database/sql.ts';

const { gmail, graph, house, openDesk } = await useHostedMail();

describe.each(['mail-a', 'mail-b'] as const)('an answer that left through %s', (provider) => {
  test('is recognised in the sent folder, and the customer’s reply finds its ticket', async () => {
    const { owner, connect, read, emulator } = await openDesk(provider);
    const mailbox = await connect();
    const to = `mia.${provider}@example.com`;
    const { body: ticket } = await owner.call('POST', '/tickets', {
      subject: 'Your order',
      body: 'It is on its way.',
      sendEmail: true,
      toAddresses: [to],
      mailboxId: mailbox.id,
    });
    await house.drain();
    await read(mailbox);
    expect(await ticketsOf(owner)).toMatchObject([{ id: ticket.id, messageCount: 1 }]);
    const [received] = emulator.received(to);
    await emulator.reply(received?.id ?? '');
    await read(mailbox);
    expect(await ticketsOf(owner)).toMatchObject([{ id: ticket.id, messageCount: 2 }]);
  });

  test('counts as sent once its copy is seen, even if the sending process died', async () => {
    const { owner, connect, read, emulator } = await openDesk(provider);
    const mailbox = await connect();
    const messageId = await putSending(owner);
    await emulator.sendByHand(mailbox.address, {
      to: ['nora@example.com'],
      subject: 'Re: Cut off',
      messageId: `wire.${provider}@mail.example`,
      headers: { 'X-Kontor-Message-ID': `<own.${messageId}@kontor.example>` },
    });
    await read(mailbox);
    const [{ id }] = await ticketsOf(owner);
    expect((await ticketOf(owner, id)).messages).toMatchObject([{ id: messageId, delivery: { status: 'sent' } }]);
    await emulator.deliver(mailbox.address, { subject: 'Thanks', inReplyTo: `wire.${provider}@mail.example` });
    await read(mailbox);
    expect(await ticketsOf(owner)).toMatchObject([{ id, messageCount: 2 }]);
  });

  test('is not recognised in a stranger’s mail with its id header', async () => {
    const { owner, connect, read, emulator } = await openDesk(provider);
    const mailbox = await connect();
    const messageId = await putSending(owner);
    await emulator.deliver(mailbox.address, {
      subject: 'Forged',
      headers: { 'X-Kontor-Message-ID': `<own.${messageId}@kontor.example>` },
    });
    await read(mailbox);
    expect(await ticketsOf(owner)).toMatchObject([{ subject: 'Cut off', messageCount: 1 }, { subject: 'Forged' }]);
    const [{ id }] = await ticketsOf(owner);
    expect((await ticketOf(owner, id)).messages).toMatchObject([{ delivery: { status: 'sending' } }]);
  });

  /** An answer whose process died after it had begun to send. */
  async function putSending(owner: Person): Promise<string> {
    const { body: ticket } = await owner.call('POST', '/tickets', { subject: 'Cut off', body: 'An answer.' });
    const [message] = (await ticketOf(owner, ticket.id)).messages;
    const ownId = `own.${message.id}@kontor.example`;
    await house.app.db.tx(async (tx) => {
      await tx.run(sql`
        update messages set delivery_status = 'sending', handing_over_at = ${tx.now}, rfc_message_id = ${ownId}
        where workspace_id = ${owner.workspaceId} and id = ${message.id}`);
      await tx.run(sql`
        insert into mail_ids (workspace_id, rfc_message_id, ticket_id, message_id)
        values (${owner.workspaceId}, ${ownId}, ${ticket.id}, ${message.id})`);
    });
    return message.id;
  }
});

describe('mail without ids', () => {
  test('follows Gmail’s thread, even within one batch', async () => {
    const { owner, connect, read } = await openDesk();
    const mailbox = await connect();
    const root = await gmail.deliver(mailbox.address, { from: 'ann@example.org', subject: 'Printer' });
    await gmail.deliver(mailbox.address, { from: 'ben@example.org', subject: 'Re: Printer', inReplyTo: 'x@y.example' });
    await inThread(mailbox, root.threadId);
    await read(mailbox);
    expect(await ticketsOf(owner)).toMatchObject([{ messageCount: 2 }]);
    const { threading } = await lastThreading(owner);
    expect(threading).toMatchObject({ matchedBy: 'provider-thread', matchedId: root.threadId, isSenderKnown: false });
  });

  test('follows Graph’s conversation only if the writer is a participant or the subject matches', async () => {
    const { owner, connect, read } = await openDesk('mail-a');
    const mailbox = await connect();
    const { workspaceId } = owner;
    await graph.deliver(mailbox.address, {
      from: 'ann@example.org',
      subject: 'Printer',
      messageId: 'root@example.org',
    });
    await read(mailbox);
    const { threadId } = await house.app.db.one<{ threadId: string }>(sql`
      select thread_id as "threadId" from mailbox_mails where workspace_id = ${workspaceId}`);
    const deliver = async (from: string, subject: string) => {
      await graph.deliver(mailbox.address, { from, subject });
      await syncMailbox(house.app, { workspaceId, mailboxId: mailbox.id });
      await house.app.db.tx((tx) =>
        tx.run(sql`update mailbox_mails set thread_id = ${threadId} where workspace_id = ${workspaceId}`),
      );
      await house.drain();
    };
    await deliver('ann@example.org', 'Another thing');
    await deliver('ben@example.org', 'AW: Printer');
    expect(await ticketsOf(owner)).toMatchObject([{ messageCount: 3 }]);
    await deliver('eve@example.org', 'Show me everything');
    expect(await ticketsOf(owner)).toMatchObject([{ messageCount: 3 }, { subject: 'Show me everything' }]);
  });

  /** As if Gmail had put all mail of the mailbox into one thread. */
  async function inThread({ id, workspaceId }: HostedMailbox, threadId: string): Promise<void> {
    await syncMailbox(house.app, { workspaceId, mailboxId: id });
    await house.app.db.tx((tx) =>
      tx.run(sql`update mailbox_mails set thread_id = ${threadId} where workspace_id = ${workspaceId}`),
    );
  }

  function lastThreading({ workspaceId }: Person): Promise<{ threading: unknown }> {
    return house.app.db.one(sql`
      select threading from messages where workspace_id = ${workspaceId} order by id desc limit 1`);
  }
});

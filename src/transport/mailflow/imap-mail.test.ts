import { afterAll, describe, expect, test, vi } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { syncMailbox } from '../../../test/harness/sync-now.ts';
import { hasDovecot, openDovecot, password } from '../../../test/peers/dovecot.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse({ MAIL_ALLOWED_NETWORKS: '127.0.0.0/8' });
const server = hasDovecot ? await openDovecot() : undefined;
afterAll(() => server?.close());

let count = 0;
const mailOf = (subject: string, headers: readonly string[] = [], receivedAt = new Date()) =>
  [
    `Received: from mx by mail; ${receivedAt.toUTCString()}`,
    'From: Mia <mia@example.com>',
    `Subject: ${subject}`,
    `Message-ID: <mail-${++count}@example.com>`,
    ...headers,
    '',
    'Good day.',
    '',
  ].join('\r\n');

describe.skipIf(server === undefined)('a mailbox at Dovecot (needs root and dovecot-imapd 2.3)', () => {
  const dovecot = server as NonNullable<typeof server>;

  async function openDesk(options: object = {}) {
    const owner = await makeOwner(house);
    const address = `desk${++count}@office.example`;
    const { imap, smtp } = dovecot;
    const body = { provider: 'imap', address, imap, smtp, password, ...options };
    const connected = await owner.call('POST', '/mailboxes', body);
    const mailbox = { workspaceId: owner.workspaceId, mailboxId: connected.body.id };
    const read = async () => {
      await syncMailbox(house.app, mailbox);
      await house.drain();
    };
    const deliver = (mail: string, folder = 'INBOX', at?: Date) =>
      dovecot.as(address, (client) => client.append(folder, mail, [], at));
    return { owner, address, connected, read, deliver, id: connected.body.id as string };
  }

  const sentIn = (address: string) =>
    dovecot.as(address, async (client) => {
      await client.mailboxOpen('Sent', { readOnly: true });
      return (await client.search({ all: true }, { uid: true })) || [];
    });

  async function answer(owner: Person, ticketId: string, body = 'It is on its way.') {
    const { status } = await owner.call('POST', `/tickets/${ticketId}/messages`, { body, sendEmail: true });
    expect(status).toBe(201);
    await house.drain();
  }

  test('is connected once both servers let it sign in, and shows no password', async () => {
    const { owner, connected, id } = await openDesk();
    expect(connected).toMatchObject({ status: 201, body: { provider: 'imap', status: 'active' } });
    const { body } = await owner.call('GET', `/mailboxes/${id}`);
    expect(JSON.stringify([connected.body, body])).not.toContain(password);
  });

  test.each([
    ['imap_login', { password: 'wrong' }],
    ['unreachable', { imap: { host: '127.0.0.1', port: 1, security: 'none' } }],
    ['unreachable', { imap: { host: '10.1.2.3', port: 143, security: 'starttls' } }],
    ['tls', { imap: { host: '1.1.1.1', port: 143, security: 'none' } }],
  ])('is refused with the reason %s', async (code, options) => {
    const { connected } = await openDesk(options);
    expect(connected).toMatchObject({ status: 400, body: { key: 'mailbox.not_authorized', params: { code } } });
  });

  test('turns each new mail into one ticket, and changes nothing on the server', async () => {
    const { owner, address, read, deliver } = await openDesk();
    await deliver(mailOf('Before'), 'INBOX', new Date(Date.now() - 3 * 86_400_000));
    await read();
    await deliver(mailOf('First'));
    await read();
    await deliver(mailOf('Second'));
    await read();
    await read();
    const subjects = (await ticketsOf(owner)).map(({ subject }: { subject: string }) => subject);
    expect(subjects.toSorted()).toEqual(['First', 'Second']);
    const flags = await dovecot.as(address, async (client) => {
      await client.mailboxOpen('INBOX', { readOnly: true });
      return (await client.fetchAll('1:*', { flags: true })).map((mail) => [...(mail.flags ?? [])]);
    });
    expect(flags.flat().filter((flag) => flag !== '\\Recent')).toEqual([]);
  });

  test('takes old mail that is dragged into the inbox as closed history, and mail of some days as new', async () => {
    const { owner, id, read, deliver } = await openDesk();
    await house.app.db.tx((tx) =>
      tx.run(sql`
        update mailboxes set connected_at = ${earlier(sql`connected_at`, '60 days')}
        where workspace_id = ${owner.workspaceId} and id = ${id}`),
    );
    await read();
    await deliver(mailOf('Late', [], new Date(Date.now() - 3_600_000)));
    await deliver(mailOf('Rescued', [], new Date(Date.now() - 3 * 86_400_000)));
    await deliver(mailOf('Old', [], new Date(Date.now() - 40 * 86_400_000)));
    await read();
    const tickets = await ticketsOf(owner);
    expect(
      tickets.map(({ subject, status }: { subject: string; status: string }) => [subject, status]).toSorted(),
    ).toEqual([
      ['Late', 'open'],
      ['Old', 'closed'],
      ['Rescued', 'open'],
    ]);
  });

  test('takes a mail once that is moved away and back', async () => {
    const { owner, address, read, deliver } = await openDesk();
    await read();
    await deliver(mailOf('Wanderer'));
    await read();
    await dovecot.as(address, async (client) => {
      await client.mailboxCreate('Away');
      await client.mailboxOpen('INBOX');
      await client.messageMove('1:*', 'Away');
      await client.mailboxOpen('Away');
      await client.messageMove('1:*', 'INBOX');
    });
    await read();
    expect(await ticketsOf(owner)).toMatchObject([{ subject: 'Wanderer', messageCount: 1 }]);
  });

  test('sends an answer once through its own account, and files one copy', async () => {
    const { owner, address, read, deliver } = await openDesk({ sentCopy: 'append' });
    await read();
    await deliver(mailOf('Question'));
    await read();
    const [{ id }] = await ticketsOf(owner);
    await answer(owner, id);
    const sent = dovecot.mails.filter(({ raw }) => raw.includes(address));
    expect(sent).toMatchObject([{ to: ['mia@example.com'] }]);
    await vi.waitFor(async () => expect(await sentIn(address)).toHaveLength(1), 30_000);
    await read();
    expect((await ticketOf(owner, id)).messages).toMatchObject([{}, { delivery: { status: 'sent' } }]);
    expect(await sentIn(address)).toHaveLength(1);
  });

  test('shows an answer from another client on its ticket', async () => {
    const { owner, address, read, deliver } = await openDesk();
    await read();
    await deliver(mailOf('Question', ['X-Test: 1']));
    const asked = `mail-${count}@example.com`;
    await read();
    const reply = [
      `From: ${address}`,
      'To: mia@example.com',
      'Subject: Re: Question',
      `Message-ID: <by-hand-${count}@office.example>`,
      `In-Reply-To: <${asked}>`,
      '',
      'By phone.',
      '',
    ].join('\r\n');
    await deliver(reply, 'Sent');
    await read();
    expect(await ticketsOf(owner)).toMatchObject([{ subject: 'Question', messageCount: 2 }]);
  });

  test('reads on when the server has numbered its mails anew', async () => {
    const { owner, address, read, deliver } = await openDesk();
    await read();
    const kept = mailOf('Kept');
    await deliver(kept);
    await read();
    await dovecot.as(address, async (client) => {
      await client.mailboxCreate('Other');
      await client.mailboxOpen('INBOX');
      await client.messageDelete('1:*');
    });
    await deliver(kept);
    await deliver(mailOf('New'));
    await house.app.db.tx((tx) => loseNumbers(tx, owner));
    await read();
    const tickets = await ticketsOf(owner);
    expect(tickets.map(({ subject }: { subject: string }) => subject).toSorted()).toEqual(['Kept', 'New']);
    expect(tickets.every(({ messageCount }: { messageCount: number }) => messageCount === 1)).toBe(true);
  });

  test('asks for another password when the server refuses it, and then tries no more', async () => {
    const { owner, id, read } = await openDesk();
    await read();
    await spoilPassword(owner, id);
    await read();
    const { body } = await owner.call('GET', `/mailboxes/${id}`);
    expect(body).toMatchObject({
      status: 'reauthorization_required',
      statusReason: expect.stringContaining('password'),
    });
  });
});

/** As if the server had another UIDVALIDITY now. */
async function loseNumbers(tx: Tx, { workspaceId }: Person): Promise<void> {
  await tx.run(sql`
    update mailbox_syncs set cursor = regexp_replace(cursor, '"uidValidity":"[0-9]+"', '"uidValidity":"7"', 'g')
    where workspace_id = ${workspaceId}`);
}

async function spoilPassword({ workspaceId }: Person, id: string): Promise<void> {
  const sealed = house.app.seal.seal(Buffer.from('changed'), `mailbox:${workspaceId}:${id}`);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update mailbox_servers set sealed_password = ${sealed}
      where workspace_id = ${workspaceId} and mailbox_id = ${id}`),
  );
}

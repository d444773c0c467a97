import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { openGmailEmulator } from '../../../emulators/gmail.ts';
import { openGraphEmulator } from '../../../emulators/graph.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { syncMailbox } from '../../../test/harness/sync-now.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { mailOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { type HostedMailbox, putMailbox } from '../../../test/worlds/put-mailbox.ts';
import { post } from '../../../test/worlds/webhook-house.ts';
import { withAccounts } from '../../../test/worlds/with-accounts.ts';
import type { App } from '../../app.ts';
import { sql } from '../../ground/database/sql.ts';

const now = () => house.clock?.now() ?? new Date();
const gmail = await openGmailEmulator({ now, unitsPerMinute: 1_000_000 });
const graph = await openGraphEmulator({ now, behaviour: { sentDelayMs: 0 } });
afterAll(() => Promise.all([gmail.close(), graph.close()]));
const house = useHouse({ ...gmail.settings, ...graph.settings, MAIL_A_WEBHOOK_SECRET: 'the secret' });

let addresses = 0;
let owner: Person;
let mailbox: HostedMailbox;

async function connect(provider: 'mail-a' | 'mail-b', historyDays = 0): Promise<void> {
  const address = `named${++addresses}@office.example`;
  owner = await makeOwner(house);
  const { workspaceId } = owner;
  const { refreshToken } = (provider === 'mail-a' ? graph : gmail).addMailbox({ address });
  mailbox = await putMailbox(house, { workspaceId, provider, address, refreshToken, historyDays });
  await sync();
}
async function sync(app: App = house.app): Promise<void> {
  await syncMailbox(app, { workspaceId: owner.workspaceId, mailboxId: mailbox.id });
  await house.drain();
}
const deliver = (subject: string, at: { folder?: 'inbox' | 'archive'; receivedAt?: Date } = {}) =>
  graph.deliver(mailbox.address, { subject }, { receivedAt: now(), ...at });
const subjects = async () => (await ticketsOf(owner)).map(({ subject }) => subject);
const waiting = () =>
  house.app.db.rows(sql`select provider_id from mailbox_stuck_mails where mailbox_id = ${mailbox.id}`);
const retryDueInMs = async () => {
  const { dueAt } = await house.app.db.one<{ dueAt: string }>(sql`
    select due_at as "dueAt" from mailbox_syncs where mailbox_id = ${mailbox.id}`);
  return Date.parse(dueAt) - now().getTime();
};

describe.each([
  ['mail-a', () => graph.setFault({ on: 'message.get', address: mailbox.address, status: 404, times: 2 })],
  ['mail-b', () => gmail.setFault({ on: 'messages.get', address: mailbox.address, status: 404, times: 2 })],
] as const)('a mail of %s that was named', (provider, hideTwice) => {
  const emulator = provider === 'mail-a' ? graph : gmail;
  beforeEach(() => connect(provider));

  test('before it could be read becomes a ticket seconds later', async () => {
    hideTwice();
    await emulator.deliver(mailbox.address, { subject: 'Too early' }, { receivedAt: now() });
    await sync();
    expect(await subjects()).toEqual([]);
    expect(await retryDueInMs()).toBeLessThanOrEqual(2_000);
    house.clock.advance(2_100);
    await sync();
    expect(await subjects()).toEqual([]);
    house.clock.advance(10_100);
    await sync();
    expect(await subjects()).toEqual(['Too early']);
    expect(await waiting()).toEqual([]);
  });

  test('and is gone for good is requested four more times, and forgotten', async () => {
    const asked: string[] = [];
    const bent = withAccounts(house.app, provider, (account) => ({
      fetch: async (found) => {
        asked.push(found.providerId);
        return account.fetch(found);
      },
    }));
    const { id } = await emulator.deliver(mailbox.address, { subject: 'Thrown away' }, { receivedAt: now() });
    emulator.remove(mailbox.address, id);
    await sync(bent);
    for (const seconds of [2, 10, 60, 600, 600]) {
      house.clock.advance(seconds * 1_000 + 100);
      await sync(bent);
    }
    expect(asked).toEqual(Array(5).fill(id));
    expect(await waiting()).toEqual([]);
    expect(await subjects()).toEqual([]);
  });
});

describe('a mail of Microsoft 365', () => {
  beforeEach(() => connect('mail-a'));

  test('that is filed between being listed and being read becomes a ticket', async () => {
    const { id } = await deliver('Filed at once');
    await sync(
      withAccounts(house.app, 'mail-a', (account) => ({
        fetch: (found) => {
          if (found.providerId === id) graph.move(mailbox.address, id, 'archive');
          return account.fetch(found);
        },
      })),
    );
    expect(await subjects()).toEqual(['Filed at once']);
  });

  test('that is filed between two rounds becomes a ticket, of the folder where it lay', async () => {
    const { id } = await deliver('Filed between');
    graph.move(mailbox.address, id, 'archive');
    await sync();
    expect(await subjects()).toEqual(['Filed between']);
    expect(
      await house.app.db.rows(sql`select provider_id, folder from mailbox_mails where mailbox_id = ${mailbox.id}`),
    ).toEqual([{ provider_id: id, folder: 'inbox' }]);
  });

  test('that is filed and brought back between two rounds becomes a ticket', async () => {
    const { id } = await deliver('Undone');
    graph.move(mailbox.address, id, 'archive');
    graph.move(mailbox.address, id, 'inbox');
    await sync();
    expect(await subjects()).toEqual(['Undone']);
  });

  test.each(['junkemail', 'deleteditems', 'drafts'] as const)('moved to %s becomes no ticket', async (folder) => {
    const { id } = await deliver('Not for tickets');
    graph.move(mailbox.address, id, folder);
    await sync();
    expect(await subjects()).toEqual([]);
    expect(await waiting()).toEqual([]);
  });

  test('that came before the mailbox was connected and is filed afterwards becomes no ticket', async () => {
    const receivedAt = new Date(now().getTime() - 86_400_000);
    const { id } = await deliver('Old', { folder: 'archive', receivedAt });
    graph.move(mailbox.address, id, 'inbox');
    graph.move(mailbox.address, id, 'archive');
    await sync();
    expect(await ticketsOf(owner)).toEqual([]);
    expect(await waiting()).toEqual([]);
  });

  test('whose MIME Graph cannot build becomes a ticket from its JSON', async () => {
    graph.behave({ mimeFailureRate: 1 });
    const raw = Buffer.from(
      [
        'From: Cora <cora@example.com>',
        `To: ${mailbox.address}`,
        'Subject: =?utf-8?q?Protected_=E2=80=93_please_read?=',
        'Message-ID: <protected@example.com>',
        'In-Reply-To: <earlier@example.com>',
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: text/plain',
        '',
        'What it says.',
        '--b',
        'Content-Type: application/pdf',
        'Content-Disposition: attachment; filename=plan.pdf',
        '',
        'the plan',
        '--b--',
        '',
      ].join('\r\n'),
    );
    await graph.deliver(mailbox.address, raw, { receivedAt: now() });
    graph.behave({ mimeFailureRate: 0 });
    await sync();
    const [ticket] = await ticketsOf(owner);
    const { messages } = (await owner.call('GET', `/tickets/${ticket.id}`)).body;
    expect(ticket).toMatchObject({ subject: 'Protected – please read', requester: { email: 'cora@example.com' } });
    expect(messages[0]).toMatchObject({ attachments: [{ fileName: 'plan.pdf' }] });
    expect(messages[0].body).toMatch(/What it says\..*could not give this mail.*Original: https:/s);
    expect(await waiting()).toEqual([]);
  });

  test.each([
    ['rebuilt first', [1, 0]],
    ['rebuilt last', [0, 1]],
    ['rebuilt twice', [1, 1]],
  ])('that two mailboxes have is one message, %s', async (_order, rates) => {
    const first = { address: mailbox.address, id: mailbox.id };
    const address = `second${++addresses}@office.example`;
    const { refreshToken } = graph.addMailbox({ address });
    const { workspaceId } = owner;
    const second = await putMailbox(house, { workspaceId, provider: 'mail-a', address, refreshToken });
    for (const at of [first, second]) await syncMailbox(house.app, { workspaceId, mailboxId: at.id });
    const raw = mailOf({ headers: { To: `${first.address}, ${address}`, Subject: 'To both' } });
    for (const [index, at] of [first, second].entries()) {
      graph.behave({ mimeFailureRate: rates[index] ?? 0 });
      await graph.deliver(at.address, raw, { receivedAt: now() });
      graph.behave({ mimeFailureRate: 0 });
      await syncMailbox(house.app, { workspaceId, mailboxId: at.id });
      await house.drain();
    }
    const tickets = await ticketsOf(owner);
    expect(tickets.map(({ subject, messageCount }) => [subject, messageCount])).toEqual([['To both', 1]]);
  });

  test('that is an answer’s sent copy without MIME is recognised as the answer', async () => {
    await deliver('Question');
    await sync();
    const [ticket] = await ticketsOf(owner);
    graph.behave({ mimeFailureRate: 1, sentIdsChange: true });
    await owner.call('POST', `/tickets/${ticket.id}/messages`, { body: 'The answer.', sendEmail: true });
    await house.drain();
    graph.behave({ mimeFailureRate: 0, sentIdsChange: false });
    await sync();
    const { messages } = (await owner.call('GET', `/tickets/${ticket.id}`)).body;
    expect(messages.map(({ direction }: any) => direction)).toEqual(['inbound', 'outbound']);
    expect(messages[1].delivery.status).toBe('sent');
    expect(await subjects()).toEqual(['Question']);
    expect(await waiting()).toEqual([]);
  });

  describe('that a notification names', () => {
    const subscriptionId = 'the subscription';
    const clientState = 'the secret';
    const notify = (id: unknown) =>
      post(house, '/mail-a', { value: [{ subscriptionId, clientState, changeType: 'created', resourceData: { id } }] });
    beforeEach(() =>
      house.app.db.tx((tx) =>
        tx.run(sql`
          insert into mailbox_routes (provider, route_key, workspace_id, mailbox_id, watch_key)
          values ('mail-a', ${subscriptionId}, ${owner.workspaceId}, ${mailbox.id}, 'inbox')
          on conflict (provider, route_key) do update
          set workspace_id = excluded.workspace_id, mailbox_id = excluded.mailbox_id`),
      ),
    );

    test('becomes a ticket though no folder lists it', async () => {
      const { id } = await deliver('Told of alone', { folder: 'archive' });
      await sync();
      expect(await subjects()).toEqual([]);
      expect((await notify(id)).status).toBe(202);
      await notify(id);
      await house.drain();
      expect(await subjects()).toEqual(['Told of alone']);
      await notify(id);
      await house.drain();
      expect(await subjects()).toHaveLength(1);
      expect(await waiting()).toEqual([]);
    });

    test.each(['', 7, null, 'ü', 'x'.repeat(3_000), 'a b'])('by %j is found only by delta', async (id) => {
      await deliver('Named by nothing');
      expect((await notify(id)).status).toBe(202);
      await house.drain();
      expect(await subjects()).toEqual(['Named by nothing']);
      expect(await waiting()).toEqual([]);
    });
  });
});

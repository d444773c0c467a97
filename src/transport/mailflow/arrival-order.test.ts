import { afterAll, describe, expect, test } from 'vitest';
import { asProven } from '../../../emulators/customer-mail.ts';
import { openGmailEmulator } from '../../../emulators/gmail.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { syncMailbox } from '../../../test/harness/sync-now.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { putMailbox } from '../../../test/worlds/put-mailbox.ts';
import { sql } from '../../ground/database/sql.ts';

const gmail = await openGmailEmulator({ now: () => house.clock?.now() ?? new Date(), unitsPerMinute: 1_000_000 });
afterAll(() => gmail.close());
const house = useHouse(gmail.settings);

test('a reply from a slow clock is listed below the mail that it answers, and keeps its Date', async () => {
  const owner = await makeOwner(house);
  const reply = { 'In-Reply-To': '<slow@example.org>', Date: 'Mon, 1 Jan 2001 08:00:00 +0000' };
  await ingest(house, owner, [mailOf({ headers: { 'Message-ID': '<slow@example.org>' } })]);
  await ingest(house, owner, [mailOf({ headers: reply, body: 'Still broken.' })]);
  const [{ id }] = await ticketsOf(owner);
  const { messages, lastMessageAt } = await ticketOf(owner, id);
  expect(messages.map(({ body, sentAt }: any) => [body.trim(), sentAt])).toEqual([
    ['It does not work.', '2026-03-02T10:00:00.000Z'],
    ['Still broken.', '2001-01-01T08:00:00.000Z'],
  ]);
  expect(messages[1].createdAt).toBe(lastMessageAt);
});

test('a mail that arrives now is first in the list, whatever its Date', async () => {
  const owner = await makeOwner(house);
  await ingest(house, owner, [mailOf({ headers: { Subject: 'Before' } })]);
  house.clock.advance(1_000);
  await ingest(house, owner, [mailOf({ headers: { Subject: 'Now', Date: 'Mon, 1 Jan 2001 08:00:00 +0000' } })]);
  const { body } = await owner.call('GET', '/tickets');
  expect(body.map(({ subject }: any) => subject)).toEqual(['Now', 'Before']);
});

test('an imported mail is sorted by its Date', async () => {
  const owner = await makeOwner(house);
  await ingest(house, owner, [mailOf({ headers: { Date: 'Mon, 1 Jan 2001 08:00:00 +0000' } })], 'import');
  const [{ id }] = await ticketsOf(owner);
  expect((await ticketOf(owner, id)).messages).toMatchObject([
    { createdAt: '2001-01-01T08:00:00.000Z', sentAt: '2001-01-01T08:00:00.000Z' },
  ]);
});

test('a mail that was fetched hours late is sorted by the time at which the provider received it', async () => {
  const owner = await makeOwner(house);
  const { workspaceId } = owner;
  const address = 'late@office.example';
  const { refreshToken } = gmail.addMailbox({ address });
  const mailbox = await putMailbox(house, { workspaceId, provider: 'mail-b', address, refreshToken });
  await syncMailbox(house.app, { workspaceId, mailboxId: mailbox.id });
  house.clock.advance(60_000);
  const receivedAt = house.clock.now();
  await gmail.deliver(address, { subject: 'Where is my parcel?' });
  house.clock.advance(3 * 3_600_000);
  await syncMailbox(house.app, { workspaceId, mailboxId: mailbox.id });
  await house.drain();
  const messages = await house.app.db.rows<{ createdAt: string }>(sql`
    select created_at as "createdAt" from messages where workspace_id = ${workspaceId}`);
  expect(messages.map(({ createdAt }) => Math.abs(Date.parse(createdAt) - receivedAt.getTime()) < 60_000)).toEqual([
    true,
  ]);
});

describe('a reply to all that overtakes its mail through another mailbox', () => {
  /** Ann writes to Bob too, who replies to all. @returns how many messages each ticket has */
  async function takeReplyFirst(asKept: (raw: Buffer) => Buffer): Promise<number[]> {
    const owner = await makeOwner(house);
    const { workspaceId } = owner;
    const carry = async (name: string, headers: Record<string, string>) => {
      const address = `${name}.${workspaceId}@office.example`;
      const { refreshToken } = gmail.addMailbox({ address });
      const mailbox = await putMailbox(house, { workspaceId, provider: 'mail-b', address, refreshToken });
      await syncMailbox(house.app, { workspaceId, mailboxId: mailbox.id });
      await gmail.deliver(address, asKept(mailOf({ headers: { To: address, ...headers } })));
      await syncMailbox(house.app, { workspaceId, mailboxId: mailbox.id });
      await house.drain();
    };
    const id = `<asked.${workspaceId}@example.org>`;
    await carry('sales', { From: 'bob@example.net', Cc: 'ann@example.org', 'In-Reply-To': id });
    await carry('support', { 'Message-ID': id, Cc: 'bob@example.net' });
    return (await ticketsOf(owner)).map(({ messageCount }) => messageCount);
  }

  test('is on one ticket with it, if the provider says who wrote the reply', async () => {
    expect(await takeReplyFirst((raw) => asProven(raw, 'gmail'))).toEqual([2]);
  });

  test('is on a ticket of its own, if nothing proves it: whoever foretells an id must not get the mail', async () => {
    expect(await takeReplyFirst((raw) => raw)).toEqual([1, 1]);
  });
});

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { upload } from '../../../test/harness/uploads.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, liveTicketsOf, mailOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import type { SendOutcome } from '../../mail/transport.ts';
import { deliverMail } from '../../transport/mailflow/sending/deliver.ts';
import { deliveryAttemptsMax } from '../messages/queue-delivery.ts';
import { summariseTickets } from './summary.ts';

const house = useHouse();
let owner: Person;
let colleague: Person;
let ticket: any;

beforeAll(async () => {
  owner = await makeOwner(house);
  colleague = await makeMember(house, owner.workspaceId, 'agent');
});
beforeEach(async () => {
  const requester = { email: 'ann@example.org', name: 'Ann' };
  ticket = (await owner.call('POST', '/tickets', { subject: 'Printer', body: 'It\n  jams.', requester })).body;
});

const append = async (input: object): Promise<any> =>
  (await owner.call('POST', `/tickets/${ticket.id}/messages`, { body: 'x', ...input })).body;
const status = (toStatus: string) => owner.call('POST', `/tickets/${ticket.id}/status`, { toStatus });
/** The ticket as the list shows it. */
const row = async (person = owner, id = ticket.id): Promise<any> =>
  (await person.call('GET', '/tickets?archived=any&status=open&status=pending&status=closed')).body.find(
    (listed: { id: string }) => listed.id === id,
  );

describe('a row of the list', () => {
  test('shows the first message, the requester and since when they wait', async () => {
    const read = (await owner.call('GET', `/tickets/${ticket.id}`)).body;
    const [{ id, createdAt }] = read.messages;
    const contactId = (await owner.call('GET', '/contacts?search=ann')).body[0].id;
    expect(ticket).toMatchObject({
      requester: { contactId, email: 'ann@example.org', name: 'Ann' },
      lastMessage: { id, direction: 'inbound', authorName: 'Ann', snippet: 'It jams.' },
      attachmentCount: 0,
      deliveryProblem: null,
      waitingSince: createdAt,
    });
    expect(await row()).toEqual({ ...ticket, unread: false, hasDraft: false });
    expect(read).toMatchObject(await row());
  });

  test('shows the newest message in 160 characters, and names instead of mentions', async () => {
    const { id } = await append({
      isInternal: true,
      body: `@[Cy [x]](user:${colleague.userId}) ${'long '.repeat(100)}`,
    });
    const { lastMessage, waitingSince } = await row();
    expect(lastMessage).toMatchObject({
      id,
      direction: 'internal',
      snippet: `@Cy [x] ${'long '.repeat(31)}`.slice(0, 160),
    });
    expect(waitingSince).toBe(ticket.createdAt);
  });

  test('counts files, but no pictures inside texts', async () => {
    const files = [await upload(house, owner, ticket.id), await upload(house, owner, ticket.id)];
    const [hung, shown] = files.map(({ body }) => body);
    const bodyHtml = `<p><img src="cid:${shown.contentId}"></p>`;
    await append({ attachmentIds: [hung.id, shown.id], bodyHtml });
    expect((await row()).attachmentCount).toBe(1);
  });

  test('shows members only their own drafts', async () => {
    await owner.call('PUT', `/tickets/${ticket.id}/drafts/note`, { body: 'Half', version: 0 });
    expect([(await row()).hasDraft, (await row(colleague)).hasDraft]).toEqual([true, false]);
  });

  test('is the same in a search, with its matches', async () => {
    const [found] = (await owner.call('GET', `/tickets?search=%23${ticket.ticketNumber}`)).body;
    expect(found).toEqual({ ...(await row()), matches: [] });
  });
});

describe('a customer waits', () => {
  test('until somebody answers', async () => {
    await append({ body: 'Turn it off.' });
    expect(await row()).toMatchObject({ waitingSince: null, lastMessage: { direction: 'outbound' } });
  });

  test('still, when the answer became a file', async () => {
    await append({ sendEmail: true, toAddresses: ['ann@example.org'] });
    expect((await row()).waitingSince).toBeNull();
    await house.drain();
    expect((await row()).waitingSince).toBe(ticket.createdAt);
  });

  test('while the ticket is open, and again if it was closed by mistake', async () => {
    expect((await status('closed')).body.waitingSince).toBeNull();
    expect((await row()).waitingSince).toBeNull();
    expect((await status('pending')).body.waitingSince).toBe(ticket.createdAt);
    await append({ body: 'Done.', thenStatus: 'closed' });
    expect((await status('open')).body.waitingSince).toBeNull();
  });

  test('since their new message, if the ticket was closed unanswered before', async () => {
    const references = { 'Message-ID': '<a1@example.org>', From: 'bob@example.org', Subject: 'Ink' };
    await ingest(house, owner, [mailOf({ headers: { ...references, Date: 'Mon, 5 Oct 2026 10:00:00 +0000' } })]);
    ticket = (await liveTicketsOf(owner)).at(-1);
    await status('closed');
    const again = { ...references, 'Message-ID': '<a2@example.org>', 'In-Reply-To': '<a1@example.org>' };
    await ingest(house, owner, [mailOf({ headers: { ...again, Date: 'Tue, 6 Oct 2026 10:00:00 +0000' } })]);
    const { waitingSince, lastMessageAt, status: now, messageCount } = await row();
    expect([now, messageCount, waitingSince]).toEqual(['open', 2, lastMessageAt]);
  });
});

describe('an answer that did not arrive', () => {
  const refused: SendOutcome = { ok: false, permanent: true, code: '550', reason: '550 no such user' };

  test('is shown until it is sent again', async () => {
    const { id: messageId } = await append({ sendEmail: true });
    const mail = { send: async () => refused, close: async () => {} };
    const { workspaceId } = owner;
    const job = { attempt: 1, attemptsMax: deliveryAttemptsMax };
    await deliverMail({ ...house.app, mail }, { workspaceId, messageId }, job).catch(() => {});
    expect((await row()).deliveryProblem).toBe('failed');
    await owner.call('POST', `/tickets/${ticket.id}/messages/${messageId}/retry`);
    expect((await row()).deliveryProblem).toBeNull();
  });
});

test('the sweep rewrites rows whose summary is of an earlier version', async () => {
  await append({ body: 'The newest.' });
  const before = await row();
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update tickets
      set last_message_id = null, last_message_snippet = 'old', waiting_since = now(), attachment_count = 7,
        version = version + 1
      where workspace_id = ${owner.workspaceId} and id = ${ticket.id}`),
  );
  expect((await row()).lastMessage).toBeNull();
  await summariseTickets(house.app.db);
  expect(await row()).toEqual({ ...before, version: before.version + 1 });
});

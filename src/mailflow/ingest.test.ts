import { describe, expect, it } from 'vitest';
import { makeMember, makeOwner, type Person } from '../../test/factories.ts';
import { useHouse } from '../../test/harness.ts';
import { sql } from '../platform/sql.ts';
import { ingestMails, prepareMails } from './ingest.ts';
import type { MailSource } from './raw-mails.ts';
import { takeMails } from './take-mails.ts';

const house = useHouse();

function sourceOf({ workspaceId }: Pick<Person, 'workspaceId'>, origin: MailSource['origin'] = 'live'): MailSource {
  return {
    workspaceId,
    origin,
    via: origin === 'live' ? 'smtp' : 'import',
    mailboxId: null,
    receivedAt: house.clock.now(),
  };
}

type MailParts = { headers?: Record<string, string>; body?: string };

let count = 0;
function mailOf({ headers = {}, body = 'It does not work.' }: MailParts = {}): Buffer {
  const fields = {
    From: 'Ann Example <ann@example.org>',
    To: 'support@example.com',
    Subject: 'The printer is on fire',
    Date: 'Mon, 2 Mar 2026 10:00:00 +0000',
    'Message-ID': `<m${++count}@example.org>`,
    ...headers,
  };
  const lines = Object.entries(fields).flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]));
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}\r\n`);
}

const ingest = (owner: Person, mails: Buffer[], origin?: MailSource['origin']) =>
  ingestMails(house.app, sourceOf(owner, origin), mails);

const ticketsOf = async (person: Person) =>
  (await person.call('GET', '/tickets?archived=any&sort=createdAt&order=asc')).body;
const liveTicketsOf = async (person: Person) =>
  (await ticketsOf(person)).filter(({ mergedIntoId }: any) => mergedIntoId === null);
const ticketOf = async (person: Person, id: string) => (await person.call('GET', `/tickets/${id}`)).body;

describe('a mail', () => {
  it('becomes an open ticket of its writer, with the mail as its first message', async () => {
    const owner = await makeOwner(house);
    expect(await ingest(owner, [mailOf({ headers: { Cc: 'Bob <bob@example.net>' } })])).toEqual([
      { kind: 'new', ticketsMade: 1 },
    ]);
    const [listed] = await ticketsOf(owner);
    const ticket = await ticketOf(owner, listed.id);
    expect(ticket).toMatchObject({
      ticketNumber: 1,
      subject: 'The printer is on fire',
      status: 'open',
      channel: 'email',
      requester: { email: 'ann@example.org', name: 'Ann Example' },
      messageCount: 1,
      createdAt: '2026-03-02T10:00:00.000Z',
    });
    expect(ticket.messages).toMatchObject([
      {
        direction: 'inbound',
        author: { type: 'customer', name: 'Ann Example', email: 'ann@example.org' },
        body: expect.stringContaining('It does not work.'),
        replyText: null,
        to: ['support@example.com'],
        cc: ['bob@example.net'],
        delivery: null,
      },
    ]);
  });

  it('is found by the people it names', async () => {
    const owner = await makeOwner(house);
    await ingest(owner, [mailOf({ headers: { Cc: 'Bob Ross <bob@example.net>' } })]);
    for (const word of ['ross', 'ann', 'printer', 'work'])
      expect((await owner.call('GET', `/tickets?search=${word}`)).body, word).toHaveLength(1);
  });

  it('keeps its HTML without what could run, its quotes hidden from the reply, and its files', async () => {
    const owner = await makeOwner(house);
    const body = [
      '--b',
      'Content-Type: multipart/alternative; boundary=a',
      '',
      '--a',
      'Content-Type: text/plain',
      '',
      'Yes, please.\n\nOn Mon, 2 Mar 2026, Support wrote:\n> Shall we?',
      '--a',
      'Content-Type: text/html',
      '',
      '<p onclick="x()">Yes<script>alert(1)</script> <img src="cid:pic"></p>',
      '--a--',
      '--b',
      'Content-Type: image/png',
      'Content-ID: <pic>',
      'Content-Transfer-Encoding: base64',
      '',
      'iVBORw0KGgo=',
      '--b--',
    ].join('\r\n');
    await ingest(owner, [mailOf({ headers: { 'Content-Type': 'multipart/mixed; boundary=b' }, body })]);
    const [{ id }] = await ticketsOf(owner);
    const [message] = (await ticketOf(owner, id)).messages;
    expect(message.body).toContain('> Shall we?');
    expect(message.replyText).toBe('Yes, please.');
    expect(message.bodyHtml).toContain('<img src="cid:pic"');
    expect(message.bodyHtml).not.toMatch(/script|onclick|alert/);
    expect(message.attachments).toMatchObject([
      { fileName: 'attachment-1.png', contentType: 'image/png', size: 8, contentId: 'pic', isInline: true },
    ]);
  });

  it('is taken once, as the same bytes and as another copy', async () => {
    const owner = await makeOwner(house);
    const mail = mailOf();
    const copy = Buffer.concat([Buffer.from('Received: from a by b; Mon, 2 Mar 2026 10:00:05 +0000\r\n'), mail]);
    expect((await ingest(owner, [mail, mail])).map(({ kind }) => kind)).toEqual(['new', 'known']);
    expect((await ingest(owner, [copy])).map(({ kind }) => kind)).toEqual(['known']);
    expect(await ticketsOf(owner)).toMatchObject([{ messageCount: 1 }]);
  });

  it('with the Message-ID of another and other content is kept beside it, and flagged', async () => {
    const owner = await makeOwner(house);
    const headers = { 'Message-ID': '<same@example.org>' };
    await ingest(owner, [mailOf({ headers }), mailOf({ headers, body: 'Something else.' })]);
    expect(await ticketsOf(owner)).toMatchObject([{ messageCount: 2 }]);
    const flagged = await house.app.db.rows(sql`
      select note from raw_mails where workspace_id = ${owner.workspaceId} and note is not null`);
    expect(flagged).toHaveLength(1);
  });

  it('belongs to each workspace on its own', async () => {
    const [one, other] = [await makeOwner(house), await makeOwner(house)];
    const mail = mailOf();
    await ingest(one, [mail]);
    expect((await ingest(other, [mail])).map(({ kind }) => kind)).toEqual(['new']);
    const reply = mailOf({ headers: { 'In-Reply-To': /Message-ID: (\S+)/.exec(mail.toString())?.[1] ?? '' } });
    await ingest(other, [reply]);
    expect(await ticketsOf(one)).toMatchObject([{ messageCount: 1 }]);
    expect(await ticketsOf(other)).toMatchObject([{ messageCount: 2 }]);
  });

  it('that cannot be read becomes a ticket with the file on it, listed as quarantined', async () => {
    const owner = await makeOwner(house);
    const junk = [Buffer.alloc(0), Buffer.from('\0\0\0')];
    expect((await ingest(owner, [...junk, mailOf()])).map(({ kind }) => kind)).toEqual([
      'quarantined',
      'quarantined',
      'new',
    ]);
    expect(await ticketsOf(owner)).toHaveLength(3);
    const ticket = (await ticketsOf(owner)).find(({ subject }: any) => subject === 'A mail that could not be read');
    expect((await ticketOf(owner, ticket.id)).messages[0].attachments).toHaveLength(1);
  });

  it('that the database refuses is quarantined alone, and the others of its batch are kept', async () => {
    const owner = await makeOwner(house);
    const source = sourceOf(owner);
    const { prepared } = await prepareMails(house.app, source, [mailOf(), mailOf(), mailOf()]);
    const refused = prepared.map((mail, at) => (at === 1 ? { ...mail, body: 'U+0000: \0' } : mail));
    const outcomes = await takeMails(house.app, source, refused);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['new', 'quarantined', 'new']);
    const [{ reason, messageId }] = (await owner.call('GET', '/mail/quarantine')).body.items;
    expect(reason).toBe('It could not be stored (SQLSTATE 22021).');
    const raw = await owner.call('GET', `/messages/${messageId}/raw`);
    expect(raw.body).toBe(prepared[1]?.raw.bytes.toString());
    expect(await ticketsOf(owner)).toHaveLength(3);
  });

  it('that was stored and not yet ingested when the process died is ingested when it comes again', async () => {
    const owner = await makeOwner(house);
    const mail = mailOf();
    await prepareMails(house.app, sourceOf(owner), [mail]);
    expect(await ticketsOf(owner)).toHaveLength(0);
    expect(await ingest(owner, [mail])).toEqual([{ kind: 'new', ticketsMade: 1 }]);
    expect(await ingest(owner, [mail])).toEqual([{ kind: 'known', ticketsMade: 0 }]);
  });

  it('that comes from two sides at once is taken once, and its conversation is one ticket', async () => {
    const owner = await makeOwner(house);
    const first = mailOf({ headers: { 'Message-ID': '<root@example.org>' } });
    const replies = Array.from({ length: 8 }, () => mailOf({ headers: { 'In-Reply-To': '<root@example.org>' } }));
    const outcomes = await Promise.all([...replies, first, first].map((mail) => ingest(owner, [mail])));
    expect(outcomes.flat().filter(({ kind }) => kind === 'new')).toHaveLength(9);
    expect(await ticketsOf(owner)).toMatchObject([{ messageCount: 9 }]);
  });
});

describe('a live mail', () => {
  async function answeredTicket(status: string) {
    const owner = await makeOwner(house);
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    await ingest(owner, [mailOf({ headers: { 'Message-ID': '<q@example.org>' } })]);
    const [{ id }] = await ticketsOf(owner);
    await owner.call('PATCH', `/tickets/${id}`, { assigneeId: agent.userId });
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: status });
    await owner.call('POST', `/tickets/${id}/archive`);
    return { owner, agent, id };
  }
  const repliesOf = async (agent: Person) =>
    (await agent.call('GET', '/notifications')).body.items.filter(({ type }: any) => type === 'reply');

  it.each(['pending', 'closed'])(
    'that answers a %s ticket opens it, unarchives it and tells the assignee',
    async (status) => {
      const { owner, agent, id } = await answeredTicket(status);
      await ingest(owner, [mailOf({ headers: { 'In-Reply-To': '<q@example.org>' } })]);
      expect(await ticketOf(owner, id)).toMatchObject({ status: 'open', archivedAt: null, messageCount: 2 });
      expect(await repliesOf(agent)).toMatchObject([{ referenceId: id }]);
    },
  );

  it.each([
    ['an automatic answer', { 'Auto-Submitted': 'auto-replied' }, 'Gone fishing.'],
    [
      'a bounce',
      { From: 'Mail Delivery System <mailer-daemon@example.org>', Subject: 'Undelivered Mail Returned to Sender' },
      "This is the mail system at host mx.example.org.\r\n\r\nI'm sorry to have to inform you that your message could not\r\nbe delivered to one or more recipients.\r\n\r\n<ann@example.org>: host mx said: 550 5.1.1 User unknown",
    ],
  ])('that is %s goes into its ticket, and neither opens it nor tells anyone', async (_what, headers, body) => {
    const { owner, agent, id } = await answeredTicket('closed');
    await ingest(owner, [mailOf({ headers: { 'In-Reply-To': '<q@example.org>', ...headers }, body })]);
    const ticket = await ticketOf(owner, id);
    expect(ticket).toMatchObject({ status: 'closed', messageCount: 2, archivedAt: expect.any(String) });
    expect(ticket.messages[1].automaticKind).toEqual(expect.any(String));
    expect(await repliesOf(agent)).toEqual([]);
  });

  it('over a list, of someone who takes part, opens the ticket; of others it does not', async () => {
    const { owner, id } = await answeredTicket('closed');
    const headers = { 'In-Reply-To': '<q@example.org>', 'List-Id': '<support.example.com>' };
    await ingest(owner, [mailOf({ headers: { ...headers, From: 'news@example.net' } })]);
    expect(await ticketOf(owner, id)).toMatchObject({ status: 'closed', messageCount: 2 });
    await ingest(owner, [mailOf({ headers })]);
    expect(await ticketOf(owner, id)).toMatchObject({ status: 'open', messageCount: 3 });
  });

  it('that names ids of several tickets follows the first and joins nothing', async () => {
    const owner = await makeOwner(house);
    await ingest(owner, [
      mailOf({ headers: { 'Message-ID': '<one@example.org>' } }),
      mailOf({ headers: { 'Message-ID': '<two@example.org>' } }),
      mailOf({ headers: { 'In-Reply-To': '<two@example.org>', References: '<one@example.org>' } }),
    ]);
    const tickets = await liveTicketsOf(owner);
    expect(tickets.map(({ messageCount }: any) => messageCount).sort()).toEqual([1, 2]);
  });

  it('without ids goes to a recent ticket of the same subject and person, never by a subject that anyone may use', async () => {
    const owner = await makeOwner(house);
    const now = house.clock.now().toUTCString();
    const plain = (subject: string, from = 'ann@example.org') =>
      mailOf({ headers: { 'Message-ID': '', Subject: subject, From: from, Date: now, 'X-Count': `${++count}` } });
    await ingest(owner, [plain('Broken coffee machine'), plain('Re: Broken coffee machine')]);
    expect(await ticketsOf(owner)).toHaveLength(1);
    await ingest(owner, [plain('Re: Broken coffee machine', 'eve@example.com'), plain('help'), plain('Re: help')]);
    expect(await ticketsOf(owner)).toHaveLength(4);
  });

  it('of a stranger who names an id is kept there, and its verdict says so', async () => {
    const owner = await makeOwner(house);
    await ingest(owner, [mailOf({ headers: { 'Message-ID': '<k@example.org>' } })]);
    await ingest(owner, [mailOf({ headers: { From: 'eve@example.com', 'In-Reply-To': '<k@example.org>' } })]);
    const verdicts = await house.app.db.rows<{ threading: any }>(sql`
      select threading from messages where workspace_id = ${owner.workspaceId} order by id`);
    expect(verdicts[1]?.threading).toMatchObject({
      matchedBy: 'in-reply-to',
      matchedId: 'k@example.org',
      isSenderKnown: false,
    });
    expect((await ticketsOf(owner))[0].requester.email).toBe('ann@example.org');
  });
});

describe('an imported mail', () => {
  it('joins tickets of the import that it shows to be one, into the one with the oldest message', async () => {
    const owner = await makeOwner(house);
    const at = (day: number) => `Mon, ${day} Mar 2026 10:00:00 +0000`;
    await ingest(
      owner,
      [
        mailOf({ headers: { 'Message-ID': '<b@x.org>', Date: at(9), Subject: 'Younger' } }),
        mailOf({ headers: { 'Message-ID': '<a@x.org>', Date: at(2), Subject: 'Older', From: 'old@example.org' } }),
        mailOf({ headers: { References: '<a@x.org> <b@x.org>', Date: at(16) } }),
      ],
      'import',
    );
    const tickets = await ticketsOf(owner);
    const [survivor] = tickets.filter(({ mergedIntoId }: any) => mergedIntoId === null);
    const [merged] = tickets.filter(({ mergedIntoId }: any) => mergedIntoId !== null);
    expect(survivor).toMatchObject({
      ticketNumber: 2,
      subject: 'Older',
      requester: { email: 'old@example.org' },
      messageCount: 3,
      status: 'open',
    });
    expect(merged).toMatchObject({ ticketNumber: 1, mergedIntoId: survivor.id, status: 'closed', messageCount: 0 });
    expect((await ticketOf(owner, survivor.id)).messages).toHaveLength(3);
    const types = async (id: string) =>
      (await owner.call('GET', `/tickets/${id}/events`)).body.items.map(({ type }: any) => type);
    expect(await types(merged.id)).toContain('ticket.merged');
    expect(await types(survivor.id)).toContain('ticket.merged_from');
  });

  it('leaves a ticket that an agent has touched as it is', async () => {
    const owner = await makeOwner(house);
    await ingest(
      owner,
      [mailOf({ headers: { 'Message-ID': '<t1@x.org>' } }), mailOf({ headers: { 'Message-ID': '<t2@x.org>' } })],
      'import',
    );
    const [first] = await ticketsOf(owner);
    await owner.call('PATCH', `/tickets/${first.id}`, { priority: 'high' });
    await ingest(owner, [mailOf({ headers: { References: '<t1@x.org> <t2@x.org>' } })], 'import');
    expect(await liveTicketsOf(owner)).toHaveLength(2);
  });

  it('into a live ticket that is closed changes no state and tells nobody', async () => {
    const owner = await makeOwner(house);
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    await ingest(owner, [mailOf({ headers: { 'Message-ID': '<l@example.org>' } })]);
    const [{ id }] = await ticketsOf(owner);
    await owner.call('PATCH', `/tickets/${id}`, { assigneeId: agent.userId });
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    await ingest(owner, [mailOf({ headers: { 'In-Reply-To': '<l@example.org>' } })], 'import');
    expect(await ticketOf(owner, id)).toMatchObject({ status: 'closed', messageCount: 2 });
    expect((await agent.call('GET', '/notifications')).body.items).toHaveLength(1);
  });
});

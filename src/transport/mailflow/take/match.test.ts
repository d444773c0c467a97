import { describe, expect, it } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import {
  ingest,
  ingestMails,
  liveTicketsOf,
  mailOf,
  sourceOf,
  ticketOf,
  ticketsOf,
} from '../../../../test/worlds/mails.ts';
import { dnsOf, senderDomain } from '../../../../test/worlds/sender-domain.ts';
import { sql } from '../../../ground/database/sql.ts';

const sender = senderDomain('example.org', { spf: 'v=spf1 ip4:9.9.9.9 -all' });
const house = useHouse({}, { resolveDns: dnsOf(sender).resolve });

describe('a live mail', () => {
  async function answeredTicket(status: string) {
    const owner = await makeOwner(house);
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    await ingest(house, owner, [mailOf({ headers: { 'Message-ID': '<q@example.org>' } })]);
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
      await ingest(house, owner, [mailOf({ headers: { 'In-Reply-To': '<q@example.org>' } })]);
      expect(await ticketOf(owner, id)).toMatchObject({ status: 'open', archivedAt: null, messageCount: 2 });
      expect(await repliesOf(agent)).toMatchObject([{ referenceId: id }]);
    },
  );

  it.each([
    ['an automatic answer', { 'Auto-Submitted': 'auto-replied' }, 'Gone fishing.'],
    [
      'a bounce',
      { From: 'Mail Delivery System <mailer-daemon@example.org>', Subject: 'Undelivered Mail Returned to Sender' },
      "This is the mail system at host mx.example.org.\r\n\r\nI'm sorry to have to inform you that your message " +
        'could not\r\nbe delivered to one or more recipients.\r\n\r\n<ann@example.org>: host mx said: 550 5.1.1 ' +
        'User unknown',
    ],
  ])('that is %s joins its ticket, without opening it or notifying anyone', async (_what, headers, body) => {
    const { owner, agent, id } = await answeredTicket('closed');
    await ingest(house, owner, [mailOf({ headers: { 'In-Reply-To': '<q@example.org>', ...headers }, body })]);
    const ticket = await ticketOf(owner, id);
    expect(ticket).toMatchObject({ status: 'closed', messageCount: 2, archivedAt: expect.any(String) });
    expect(ticket.messages[1].automaticKind).toEqual(expect.any(String));
    expect(await repliesOf(agent)).toEqual([]);
  });

  it('over a list opens the ticket only if its writer is a participant', async () => {
    const { owner, id } = await answeredTicket('closed');
    const headers = { 'In-Reply-To': '<q@example.org>', 'List-Id': '<support.example.com>' };
    await ingest(house, owner, [mailOf({ headers: { ...headers, From: 'news@example.net' } })]);
    expect(await ticketOf(owner, id)).toMatchObject({ status: 'closed', messageCount: 2 });
    await ingest(house, owner, [mailOf({ headers })]);
    expect(await ticketOf(owner, id)).toMatchObject({ status: 'open', messageCount: 3 });
  });

  it('with ids of several tickets follows the first and joins none', async () => {
    const owner = await makeOwner(house);
    await ingest(house, owner, [
      mailOf({ headers: { 'Message-ID': '<one@example.org>' } }),
      mailOf({ headers: { 'Message-ID': '<two@example.org>', Subject: 'The lamp is broken' } }),
      mailOf({ headers: { 'In-Reply-To': '<two@example.org>', References: '<one@example.org>' } }),
    ]);
    const tickets = await liveTicketsOf(owner);
    expect(tickets.map(({ messageCount }: any) => messageCount).sort()).toEqual([1, 2]);
  });

  it('without ids joins a recent ticket of its authenticated writer with the same specific subject', async () => {
    const owner = await makeOwner(house);
    const now = house.clock.now().toUTCString();
    let plainCount = 0;
    const plain = (subject: string, from = 'ann@example.org') =>
      mailOf({ headers: { 'Message-ID': '', Subject: subject, From: from, Date: now, 'X-Count': `${++plainCount}` } });
    const envelope = { from: 'ann@example.org', to: [], client: { address: '9.9.9.9', helo: 'mx.example.org' } };
    const take = (mails: Buffer[]) => ingestMails(house.app, { ...sourceOf(house, owner), envelope }, mails);
    await take([
      plain('Broken coffee machine'),
      ...[
        'Re: Broken coffee machine',
        'R: Broken coffee machine',
        '=?utf-8?B?6L+U5L+hOg==?= Broken coffee machine',
      ].map((subject) => plain(subject)),
    ]);
    expect(await ticketsOf(owner)).toHaveLength(1);
    await take([plain('Re: Broken coffee machine', 'eve@example.com'), plain('help'), plain('Re: help')]);
    expect(await ticketsOf(owner)).toHaveLength(4);
    await ingest(house, owner, [plain('Re: Broken coffee machine')]);
    expect(await ticketsOf(owner)).toHaveLength(5);
  });

  it('of a stranger with a known id joins that ticket, and is marked so', async () => {
    const owner = await makeOwner(house);
    await ingest(house, owner, [mailOf({ headers: { 'Message-ID': '<k@example.org>' } })]);
    await ingest(house, owner, [mailOf({ headers: { From: 'eve@example.com', 'In-Reply-To': '<k@example.org>' } })]);
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
  it('joins tickets of the import that belong together, into the one with the oldest message', async () => {
    const owner = await makeOwner(house);
    const at = (day: number) => `Mon, ${day} Mar 2026 10:00:00 +0000`;
    await ingest(
      house,
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

  it('does not join a ticket that an agent has changed', async () => {
    const owner = await makeOwner(house);
    await ingest(
      house,
      owner,
      [mailOf({ headers: { 'Message-ID': '<t1@x.org>' } }), mailOf({ headers: { 'Message-ID': '<t2@x.org>' } })],
      'import',
    );
    const [first] = await ticketsOf(owner);
    await owner.call('PATCH', `/tickets/${first.id}`, { priority: 'high' });
    await ingest(house, owner, [mailOf({ headers: { References: '<t1@x.org> <t2@x.org>' } })], 'import');
    expect(await liveTicketsOf(owner)).toHaveLength(2);
  });

  it('in a closed live ticket changes no state and notifies nobody', async () => {
    const owner = await makeOwner(house);
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    await ingest(house, owner, [mailOf({ headers: { 'Message-ID': '<l@example.org>' } })]);
    const [{ id }] = await ticketsOf(owner);
    await owner.call('PATCH', `/tickets/${id}`, { assigneeId: agent.userId });
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    await ingest(house, owner, [mailOf({ headers: { 'In-Reply-To': '<l@example.org>' } })], 'import');
    expect(await ticketOf(owner, id)).toMatchObject({ status: 'closed', messageCount: 2 });
    expect((await agent.call('GET', '/notifications')).body.items).toHaveLength(1);
  });
});

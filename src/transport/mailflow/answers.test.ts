import { describe, expect, it } from 'vitest';
import { makeMember, makeOwner } from '../../../test/worlds/factories.ts';
import { ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { useAnswers } from '../../../test/worlds/use-answers.ts';
import { sql } from '../../ground/database/sql.ts';

const { answer, answeredTicket, house, mailOf, receive, threadingOf } = useAnswers();

describe('a mail to the reply address of an answer', () => {
  it.each([
    ['as SMTP said', (to: string) => ({ mail: mailOf(), envelope: { from: 'ann@example.org', to: [to] } })],
    ['in Delivered-To', (to: string) => ({ mail: mailOf({ headers: { 'Delivered-To': to } }) })],
    ['in To', (to: string) => ({ mail: mailOf({ headers: { To: `Support <${to}>` } }) })],
    ['in Cc, in capitals', (to: string) => ({ mail: mailOf({ headers: { Cc: to.toUpperCase() } }) })],
  ])('joins its ticket by the token alone, %s', async (_where, made) => {
    const { owner, id, sent } = await answeredTicket();
    expect(sent.replyTo).toMatch(/^inbox-[0-9a-f]{12}\+[a-z2-7]{39}@kontor\.example$/);
    const { mail, envelope } = { envelope: undefined, ...made(sent.replyTo) };
    await receive(owner, mail, envelope);
    expect(await ticketsOf(owner)).toHaveLength(1);
    expect(await ticketOf(owner, id)).toMatchObject({ messageCount: 3 });
    expect(await threadingOf(owner)).toMatchObject({
      matchedBy: 'token',
      matchedId: sent.messageId,
      isSenderKnown: true,
    });
  });

  it('is matched by the token before its ids', async () => {
    const { owner, id, sent } = await answeredTicket();
    await receive(owner, mailOf({ headers: { 'Message-ID': '<other@example.org>' } }));
    const envelope = { from: 'ann@example.org', to: [sent.replyTo] };
    await receive(owner, mailOf({ headers: { 'In-Reply-To': '<other@example.org>' } }), envelope);
    expect(await ticketOf(owner, id)).toMatchObject({ messageCount: 3 });
  });

  it('is matched by the newest of several tokens', async () => {
    const { owner, id, sent: first } = await answeredTicket();
    const second = await answer(owner, id);
    await receive(owner, mailOf(), { from: 'ann@example.org', to: [second.replyTo, first.replyTo] });
    expect(await threadingOf(owner)).toMatchObject({ matchedId: second.messageId });
  });

  it('with a foreign token is treated as a mail without one', async () => {
    const { owner, sent } = await answeredTicket();
    const forged = sent.replyTo.replace(/\+./, (found) => (found === '+a' ? '+b' : '+a'));
    await receive(owner, mailOf(), { from: 'ann@example.org', to: [forged] });
    await receive(owner, mailOf(), { from: 'ann@example.org', to: [sent.replyTo.replace(/\+[^@]+/, '+sales')] });
    expect(await ticketsOf(owner)).toHaveLength(3);
  });

  it('with a token of another workspace is treated as a mail without one', async () => {
    const { sent } = await answeredTicket();
    const other = await makeOwner(house);
    await receive(other, mailOf({ headers: { To: sent.replyTo } }));
    expect(await ticketsOf(other)).toMatchObject([{ messageCount: 1 }]);
    expect(await threadingOf(other)).toMatchObject({ matchedBy: null });
  });

  it('of a new participant is kept, and marked so', async () => {
    const { owner, id, sent } = await answeredTicket();
    const mail = mailOf({ headers: { From: 'eve@example.net' } });
    await receive(owner, mail, { from: 'eve@example.net', to: [sent.replyTo] });
    expect(await threadingOf(owner)).toMatchObject({ matchedBy: 'token', isSenderKnown: false });
    expect(await ticketOf(owner, id)).toMatchObject({ requester: { email: 'ann@example.org' }, messageCount: 3 });
  });

  it('wakes a snoozed ticket, and its events show the cause', async () => {
    const { owner, id, sent } = await answeredTicket();
    const snoozedUntil = new Date(house.clock.now().getTime() + 86_400_000).toISOString();
    await owner.call('PATCH', `/tickets/${id}`, { snoozedUntil });
    await receive(owner, mailOf(), { from: 'ann@example.org', to: [sent.replyTo] });
    expect(await ticketOf(owner, id)).toMatchObject({ snoozedUntil: null, status: 'open' });
    const events = (await owner.call('GET', `/tickets/${id}/events`)).body.items;
    expect(events.find(({ type }: any) => type === 'ticket.woken')).toMatchObject({ data: { by: 'reply' } });
  });
});

describe('our own mail that comes back', () => {
  it('adds no message and no ticket, however a forward or a list changed it', async () => {
    const { owner, id, sent } = await answeredTicket();
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    await owner.call('PATCH', `/tickets/${id}`, { assigneeId: agent.userId });
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    const before = await ticketOf(owner, id);
    const listed = sent.raw.replace(/^Subject: /im, 'List-Id: <l.example.org>\r\nSubject: [list] ');
    for (const copy of [sent.raw, listed, sent.raw.replaceAll('support@', 'SUPPORT@')])
      await receive(owner, Buffer.from(copy), { from: 'list@example.org', to: [sent.replyTo] });
    expect(await ticketOf(owner, id)).toEqual(before);
    expect(await ticketsOf(owner)).toHaveLength(1);
    const states = await house.app.db.rows(sql`
      select state, message_id as "messageId" from raw_mails where workspace_id = ${owner.workspaceId} order by id`);
    expect(states.slice(1)).toEqual(states.slice(1).map(() => ({ state: 'duplicate', messageId: sent.messageId })));
    expect(states).toHaveLength(4);
  });

  it('is kept with a system author when we do not know it', async () => {
    const owner = await makeOwner(house);
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    await receive(owner, mailOf({ headers: { 'Message-ID': '<q@example.org>' } }));
    const [{ id }] = await ticketsOf(owner);
    await owner.call('PATCH', `/tickets/${id}`, { assigneeId: agent.userId });
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    const headers = { From: 'Support <support+x@kontor.example>', 'In-Reply-To': '<q@example.org>' };
    await receive(owner, mailOf({ headers }));
    const ticket = await ticketOf(owner, id);
    expect(ticket).toMatchObject({ status: 'closed', messageCount: 2 });
    expect(ticket.messages[1].author).toMatchObject({ type: 'system', email: 'support+x@kontor.example' });
    const replies = (await agent.call('GET', '/notifications')).body.items.filter(({ type }: any) => type === 'reply');
    expect(replies).toEqual([]);
  });
});

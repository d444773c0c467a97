import { describe, expect, it } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { actorOf, whileOpen } from '../../../test/harness/races.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { mergeTickets } from './merge.ts';
import { splitTicket } from './split.ts';
import { unmergeTicket } from './unmerge.ts';

const house = useHouse();

type Ref = { id: string };
const make = async (person: Person) =>
  (await person.call('POST', '/tickets', { subject: 'Printer', body: 'It is on fire.' })).body;
const bodiesOf = async (person: Person, { id }: Ref) =>
  (await ticketOf(person, id)).messages.map(({ body }: any) => body.trim()).sort();

/** Makes a ticket by mail with two mails in it, and another ticket. */
async function conversation() {
  const owner = await makeOwner(house);
  await ingest(house, owner, [
    mailOf({ headers: { 'Message-ID': '<one@x.org>' }, body: 'one' }),
    mailOf({ headers: { 'Message-ID': '<two@x.org>', 'In-Reply-To': '<one@x.org>' }, body: 'two' }),
  ]);
  const [ticket] = await ticketsOf(owner);
  const { messages } = await ticketOf(owner, ticket.id);
  const two = messages.find(({ body }: any) => body.trim() === 'two');
  return { owner, actor: actorOf(owner), ticket, two, other: await make(owner) };
}
const replyTo = (id: string) => mailOf({ headers: { 'In-Reply-To': `<${id}>` }, body: 'reply' });

describe('a change that waits for a ticket that is being merged away', () => {
  it('is refused if it is an answer', async () => {
    const { owner, actor, ticket, other } = await conversation();
    const answer = await whileOpen(
      house,
      (tx) => mergeTickets(tx, actor, { ticketId: ticket.id, targetTicketId: other.id, ifMatch: undefined }),
      () => owner.call('POST', `/tickets/${ticket.id}/messages`, { body: 'late' }),
    );
    expect(answer).toMatchObject({ status: 409, body: { key: 'ticket.merged', params: { mergedIntoId: other.id } } });
    expect(await bodiesOf(owner, other)).toEqual(['It is on fire.', 'one', 'two']);
  });

  it('goes to the survivor if it is a mail', async () => {
    const { owner, actor, ticket, other } = await conversation();
    await whileOpen(
      house,
      (tx) => mergeTickets(tx, actor, { ticketId: ticket.id, targetTicketId: other.id, ifMatch: undefined }),
      () => ingest(house, owner, [replyTo('two@x.org')]),
    );
    expect(await bodiesOf(owner, other)).toEqual(['It is on fire.', 'one', 'reply', 'two']);
    expect(await ticketOf(owner, ticket.id)).toMatchObject({ messageCount: 0, status: 'closed' });
  });

  it('is completed along the chain if it is an unmerge of a ticket merged into it', async () => {
    const { owner, actor, ticket, other } = await conversation();
    const last = await make(owner);
    await owner.call('POST', `/tickets/${ticket.id}/merge`, { targetTicketId: other.id });
    const answer = await whileOpen(
      house,
      (tx) => mergeTickets(tx, actor, { ticketId: other.id, targetTicketId: last.id, ifMatch: undefined }),
      () => owner.call('POST', `/tickets/${ticket.id}/unmerge`),
    );
    expect(answer).toMatchObject({ status: 200, body: { target: { id: last.id, messageCount: 2 } } });
    expect(await bodiesOf(owner, ticket)).toEqual(['one', 'two']);
  });
});

describe('a mail that waits for the ticket of the message that it answers', () => {
  it('follows the message when a split takes it elsewhere', async () => {
    const { owner, actor, ticket, two } = await conversation();
    await whileOpen(
      house,
      (tx) => splitTicket(tx, actor, { ticketId: ticket.id, messageIds: [two.id], ifMatch: undefined }),
      () => ingest(house, owner, [replyTo('two@x.org')]),
    );
    const made = (await ticketsOf(owner)).at(-1);
    expect([await bodiesOf(owner, ticket), await bodiesOf(owner, made)]).toEqual([['one'], ['reply', 'two']]);
    expect(made).toMatchObject({ messageCount: 2 });
  });

  it('follows the message when an unmerge takes it back', async () => {
    const { owner, actor, ticket, other } = await conversation();
    await owner.call('POST', `/tickets/${ticket.id}/merge`, { targetTicketId: other.id });
    await whileOpen(
      house,
      (tx) => unmergeTicket(tx, actor, { ticketId: ticket.id, ifMatch: undefined }),
      () => ingest(house, owner, [replyTo('one@x.org')]),
    );
    expect([await bodiesOf(owner, ticket), await bodiesOf(owner, other)]).toEqual([
      ['one', 'reply', 'two'],
      ['It is on fire.'],
    ]);
  });
});

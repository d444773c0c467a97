import { describe, expect, it } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { actorOf, whileOpen } from '../../../test/harness/races.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { mergeTickets } from '../merges/merge.ts';
import { changeTicket } from './change-ticket.ts';

const house = useHouse();

async function deskWithTicket() {
  const owner = await makeOwner(house);
  const make = async () => (await owner.call('POST', '/tickets', { subject: 'Printer', body: 'It is on fire.' })).body;
  const { id } = await make();
  const close = (headers = {}) => owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' }, headers);
  const statusFacts = async () =>
    (await owner.call('GET', `/tickets/${id}/events`)).body.items.filter(
      ({ type }: any) => type === 'ticket.status_changed',
    );
  return { owner, actor: actorOf(owner), id, make, close, statusFacts };
}

describe('a change of status that waits for another change', () => {
  it('continues from the state that the other change left, including a new requester', async () => {
    const { actor, id, close } = await deskWithTicket();
    const answer = await whileOpen(
      house,
      (tx) =>
        changeTicket(
          tx,
          actor,
          { ticketId: id, ifMatch: undefined },
          { priority: 'high', requester: { email: 'bea@example.org', name: 'Bea' } },
        ),
      close,
    );
    expect(answer).toMatchObject({
      status: 200,
      body: {
        status: 'closed',
        priority: 'high',
        requester: { email: 'bea@example.org', name: 'Bea' },
        version: 3,
      },
    });
  });

  it('is refused if the ticket was merged away, and leaves no fact', async () => {
    const { actor, id, make, close, statusFacts } = await deskWithTicket();
    const { id: targetTicketId } = await make();
    const answer = await whileOpen(
      house,
      (tx) => mergeTickets(tx, actor, { ticketId: id, targetTicketId, ifMatch: undefined }),
      close,
    );
    expect(answer).toMatchObject({
      status: 409,
      body: { key: 'ticket.merged', params: { mergedIntoId: targetTicketId } },
    });
    expect(await statusFacts()).toEqual([]);
  });

  it("is refused if its version is no longer the ticket's", async () => {
    const { actor, id, close, statusFacts } = await deskWithTicket();
    const answer = await whileOpen(
      house,
      (tx) => changeTicket(tx, actor, { ticketId: id, ifMatch: undefined }, { priority: 'high' }),
      () => close({ 'if-match': '"1"' }),
    );
    expect(answer).toMatchObject({
      status: 412,
      body: { key: 'ticket.version_mismatch', params: { currentVersion: 2 } },
    });
    expect(await statusFacts()).toEqual([]);
  });
});

it('concurrent changes of status are recorded in the order in which they followed each other', async () => {
  const { owner, id, statusFacts } = await deskWithTicket();
  const asked = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'closed' : 'open'));
  const answers = await Promise.all(asked.map((toStatus) => owner.call('POST', `/tickets/${id}/status`, { toStatus })));
  expect(answers.map(({ status }) => status)).toEqual(asked.map(() => 200));
  const changes: { from: string; to: string }[] = (await statusFacts()).map(({ data }: any) => data);
  const { status, version } = (await owner.call('GET', `/tickets/${id}`)).body;
  expect(changes.map(({ from }) => from)).toEqual(['open', ...changes.slice(0, -1).map(({ to }) => to)]);
  expect([changes.at(-1)?.to, version]).toEqual([status, 1 + changes.length]);
});

import { expect, it } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { actorOf, whileOpen } from '../../../test/harness/races.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { changeTicket } from './change-ticket.ts';

const house = useHouse();

it('a change that waits for another continues from its result, including a new requester', async () => {
  const owner = await makeOwner(house);
  const requester = { email: 'ann@example.org' };
  const { id } = (await owner.call('POST', '/tickets', { subject: 'Printer', body: 'It is on fire.', requester })).body;
  const answer = await whileOpen(
    house,
    (tx) =>
      changeTicket(
        tx,
        actorOf(owner),
        { ticketId: id, ifMatch: undefined },
        { priority: 'high', requester: { email: 'bea@example.org', name: 'Bea' } },
      ),
    () => owner.call('POST', `/tickets/${id}/archive`),
  );
  expect(answer).toMatchObject({
    status: 200,
    body: { priority: 'high', requester: { email: 'bea@example.org', name: 'Bea' }, version: 3 },
  });
});

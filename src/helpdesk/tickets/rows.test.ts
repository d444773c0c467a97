import { expect, it } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';
import { refreshTicketSearch } from './rows.ts';

const house = useHouse();

it('search finds a ticket of very many people by its requester and its newest participant', async () => {
  const owner = await makeOwner(house);
  const { workspaceId, call } = owner;
  const { body: ticket } = await call('POST', '/tickets', {
    subject: 'Printer',
    body: 'Fire.',
    requester: { email: 'requester@example.org' },
  });
  expect(ticket).toMatchObject({ subject: 'Printer' });
  const ids = Array.from({ length: 1_001 }, () => newId());
  await house.app.db.tx(async (tx) => {
    await tx.run(sql`
      insert into contacts (workspace_id, id, email, email_key, created_at)
      select ${workspaceId}, id, 'person' || at || '@example.org', 'person' || at || '@example.org', ${tx.now}
      from unnest(${ids}::uuid[]) with ordinality p (id, at)`);
    await tx.run(sql`
      insert into ticket_participants (workspace_id, ticket_id, contact_id)
      select ${workspaceId}, ${ticket.id}, id from unnest(${ids}::uuid[]) id`);
    await refreshTicketSearch(tx, workspaceId, ticket.id);
  });
  const found = async (word: string) => (await call('GET', `/tickets?search=${word}`)).body.length;
  expect([
    await found('requester'),
    await found('person1001'),
    await found('person2'),
    await found('person1+'),
  ]).toEqual([1, 1, 1, 0]);
});

import { expect, it } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { skipOnCitus } from '../../../../test/harness/skip-on-citus.ts';
import { makeOwner } from '../../../../test/worlds/factories.ts';
import { sql } from '../../../ground/database/sql.ts';
import { lockMailTicket } from './mail-tickets.ts';

const house = useHouse();

it('a ticket locked by a mail accepts rows that refer to it, but no other change', async (context) => {
  skipOnCitus(context, 'The lock timeout of a transaction, by which the test sees a lock, does not reach the nodes.');
  const { workspaceId, call } = await makeOwner(house);
  const { body: ticket } = await call('POST', '/tickets', { subject: 'Printer', body: 'Fire.' });
  const elsewhere = (statement: ReturnType<typeof sql>) =>
    house.app.db.tx(async (tx) => {
      await tx.run(sql`set local lock_timeout = '200ms'`);
      await tx.run(statement);
    });
  await house.app.db.tx(async (tx) => {
    expect(await lockMailTicket(tx, workspaceId, { ticketId: ticket.id, senderId: null })).toBeDefined();
    await elsewhere(sql`
      insert into mail_ids (workspace_id, rfc_message_id, ticket_id)
      values (${workspaceId}, 'a@example.org', ${ticket.id})`);
    await expect(
      elsewhere(sql`update tickets set subject = 'x' where workspace_id = ${workspaceId} and id = ${ticket.id}`),
    ).rejects.toMatchObject({ code: '55P03' });
  });
});

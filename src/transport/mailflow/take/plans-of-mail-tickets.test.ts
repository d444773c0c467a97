import { expect, it } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { makeOwner } from '../../../../test/worlds/factories.ts';
import { keepPlans } from '../../../ground/database/keep-plans.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { WorkspaceId } from '../../../ground/lib/ids.ts';
import { findTicketsOfMailIds } from './mail-tickets.ts';

const house = useHouse();
const mailsEach = 4_000;

/** A workspace with a ticket that many mails refer to. */
async function makeNamed(): Promise<WorkspaceId> {
  const { workspaceId, call } = await makeOwner(house);
  const { body: ticket } = await call('POST', '/tickets', { subject: 'Printer', body: 'Fire.' });
  await house.app.db.rows(sql`
    insert into mail_ids (workspace_id, rfc_message_id, ticket_id)
    select ${workspaceId}, 'm' || n || '@example.org', ${ticket.id} from generate_series(1, ${mailsEach}::int) n`);
  return workspaceId;
}

it('without statistics, a mail does not read all Message-IDs of its workspace', async () => {
  await makeNamed();
  await house.app.db.rows(sql`analyze mail_ids, tickets, messages`);
  const unknown = await makeNamed();
  const fetched = await house.app.db.tx(async (tx) => {
    await keepPlans(tx);
    for (let mail = 1; mail <= 10; mail++) {
      const ids = [`m${mail}@example.org`, `new${mail}@example.org`];
      expect(await findTicketsOfMailIds(tx, unknown, { ids, senderId: null })).toHaveLength(1);
    }
    return tx.one<{ rows: number }>(sql`
      select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'mail_ids'`);
  });
  // Each id is read when it is found, when it is locked, and once more.
  expect(fetched.rows).toBeLessThanOrEqual(30);
});

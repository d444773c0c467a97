import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { settleRestored } from './settle-restored.ts';

const house = useHouse();

test('facts from another server are marked as past, and this server’s facts stay unchanged', async () => {
  const owner = await makeOwner(house);
  const agent = await makeMember(house, owner.workspaceId, 'agent');
  const { db } = house.app;
  const assign = (subject: string) => owner.call('POST', '/tickets', { subject, body: 'b', assigneeId: agent.userId });
  const transactions = () =>
    db.rows<{ id: string }>(sql`
      select transaction_id::text as id from activity
      where workspace_id = ${owner.workspaceId}
      order by transaction_id, id`);
  for (const subject of ['a', 'b', 'c']) await assign(subject);
  await agent.call('POST', '/notifications/read-all');
  await db.tx((tx) => tx.run(sql`update activity set transaction_id = '900000000000'`));
  await db.tx((tx) => tx.run(sql`update notifications set read_transaction_id = '900000000000'`));
  for (const subject of ['d', 'e']) await assign(subject);
  const own = (await transactions()).slice(0, 4);

  await settleRestored(house.app);
  const past = Array.from({ length: 6 }, () => ({ id: '3' }));
  expect(await transactions()).toEqual([...past, ...own]);
  const first = (await agent.call('GET', '/notifications?unread=true&limit=1')).body;
  const second = (await agent.call('GET', `/notifications?unread=true&cursor=${first.nextCursor}`)).body;
  expect([...first.items, ...second.items].map(({ title }) => title)).toEqual([
    'You were assigned #5 e',
    'You were assigned #4 d',
  ]);
});

import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { inventedId, makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import type { Fact, TicketEventType } from '../../ground/catalog/events.ts';
import { sql } from '../../ground/database/sql.ts';
import { type MessageId, newId, type TicketId, type UserId } from '../../ground/lib/ids.ts';
import { record } from '../activity/record.ts';

const house = useHouse();
let owner: Person;
let ticketId: TicketId;
const people = new Map<string, UserId>();

beforeAll(async () => {
  owner = await makeOwner(house);
  for (const name of ['ann', 'ben', 'cem'])
    people.set(name, (await makeMember(house, owner.workspaceId, 'agent', name)).userId);
  ticketId = (await owner.call('POST', '/tickets', { subject: 'Help', body: 'b' })).body.id;
  await owner.call('PATCH', `/tickets/${ticketId}`, { assigneeId: idOf('ann') });
  for (const name of ['ann', 'ben']) await owner.call('POST', `/tickets/${ticketId}/followers`, { userId: idOf(name) });
});

type Change = (about: Pick<Fact<'message.added'>, 'ticketId'>) => Fact<TicketEventType>;

const messageId = newId<MessageId>();
const idOf = (name: string): UserId => people.get(name) ?? inventedId('');
const mentioned = (...names: string[]) => ({ messageId, userIds: names.map(idOf) });
const assigned: Change = (about) => ({ ...about, type: 'ticket.assigned', data: { from: null, to: idOf('ann') } });
const mentions: Change = (about) => ({
  ...about,
  type: 'message.added',
  data: { messageId, direction: 'internal' },
  mentioned: mentioned('ann', 'ben', 'ann'),
});
const assignedInIt: Change = (about) => ({ ...assigned(about), mentioned: mentioned('ann', 'ben', 'ann') });
const unassigned: Change = (about) => ({ ...about, type: 'ticket.assigned', data: { from: idOf('ann'), to: null } });
const reply: Change = (about) => ({ ...about, type: 'message.added', data: { messageId, direction: 'inbound' } });
const automatic: Change = (about) => ({ ...reply(about), isQuiet: true });
const told = (type: string, ...names: string[]) =>
  names.map((name) => ({ name, type, messageId: type === 'assignment' ? null : messageId }));

test.each<[string, Change[], string | null, object[]]>([
  ['the new assignee', [assigned], 'ben', told('assignment', 'ann')],
  ['nobody of their own action', [assigned], 'ann', []],
  ['nobody when a ticket is unassigned', [unassigned], 'ben', []],
  ['each mentioned user once', [mentions], 'cem', told('mention', 'ann', 'ben')],
  ['mentioned users other than the author', [mentions], 'ben', told('mention', 'ann')],
  ['of the mention rather than the assignment', [assignedInIt, mentions], 'cem', told('mention', 'ann', 'ben')],
  ['the same in any order of the facts', [mentions, assignedInIt], null, told('mention', 'ann', 'ben')],
  ['the assignee and the followers of a reply, once', [reply], null, told('reply', 'ann', 'ben')],
  ['nobody of automatic mail', [automatic], null, []],
])('tells %s', async (_name, changes, by, expected) => {
  const { workspaceId } = owner;
  const performer = { workspaceId, userId: by === null ? null : idOf(by) };
  const tellings = await house.app.db.tx(async (tx) => {
    for (const change of changes) await record(tx, performer, change({ ticketId }));
    const own = await tx.one<{ id: string }>(sql`select pg_current_xact_id()::text as id`);
    return tx.rows(sql`
      select u.name, n.type, n.message_id as "messageId"
      from notifications n
      join activity a on a.workspace_id = ${workspaceId} and a.id = n.activity_id
      join users u on u.id = n.user_id
      where n.workspace_id = ${workspaceId} and a.transaction_id = ${own.id}::xid8
      order by u.name`);
  });
  expect(tellings).toEqual(expected);
});

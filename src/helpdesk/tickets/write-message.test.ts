import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { automation } from '../../ground/catalog/doer.ts';
import { machineScope } from '../../ground/catalog/scope.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { lockTicket } from './change.ts';
import { writeMessage } from './write-message.ts';

const house = useHouse({ STORAGE_BYTES_PER_WORKSPACE: '1000' });
let owner: Person;
let ticketId: TicketId;

beforeEach(async () => {
  owner = await makeOwner(house);
  const customer = { email: 'ann@example.org' };
  ticketId = (await owner.call('POST', '/tickets', { subject: 's', body: 'Help', requester: customer })).body.id;
});

/** A note of the service, with which a rule would park a ticket. */
const park = (body: string, mentioned: Person[] = []) =>
  house.app.db.tx(async (tx) => {
    const { workspaceId } = owner;
    const before = await lockTicket(tx, machineScope(workspaceId), { ticketId, ifMatch: undefined });
    const after = { ...before, status: 'pending' as const };
    const author = { type: 'system', name: 'Rule', email: null } as const;
    const userIds = mentioned.map(({ userId }) => userId);
    const by = automation(workspaceId, { kind: 'mailbox', id: null });
    return writeMessage(tx, by, { before, after }, { direction: 'internal', author, body, mentioned: userIds });
  });

test('a message of the service changes its ticket, and reaches whom it mentions', async () => {
  const colleague = await makeMember(house, owner.workspaceId, 'agent');
  const { messageId, reached } = await park('Look here', [colleague]);
  expect(reached).toEqual([colleague.userId]);
  expect((await owner.call('GET', `/tickets/${ticketId}`)).body).toMatchObject({
    status: 'pending',
    messageCount: 2,
    lastMessage: { id: messageId, direction: 'internal', authorName: 'Rule', snippet: 'Look here' },
    waitingSince: expect.any(String),
  });
  const { items } = (await owner.call('GET', `/tickets/${ticketId}/events`)).body;
  expect(items.slice(-2)).toMatchObject([
    { type: 'message.added', actor: { type: 'system' }, data: { messageId } },
    { type: 'ticket.status_changed', actor: { type: 'system' }, data: { from: 'open', to: 'pending' } },
  ]);
  expect((await colleague.call('GET', '/tickets?following=true&unread=true')).body).toMatchObject([{ id: ticketId }]);
  expect((await colleague.call('GET', '/notifications')).body.items).toMatchObject([{ type: 'mention', messageId }]);
});

test('a message for which the workspace has no room leaves nothing behind', async () => {
  await expect(park('x'.repeat(1_000))).rejects.toMatchObject({ key: 'workspace.storage_full' });
  const { body } = await owner.call('GET', `/tickets/${ticketId}`);
  expect(body).toMatchObject({ status: 'open', messageCount: 1 });
});

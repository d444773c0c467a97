import { expect, test } from 'vitest';
import { readEvents } from '../../../test/harness/event-reader.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner } from '../../../test/worlds/factories.ts';
import { nilId } from '../../ground/lib/ids.ts';

const house = useHouse();

/** A ticket that everybody sees, merged into a ticket of a restricted team, and a member outside that team. */
async function mergeIntoHidden() {
  const owner = await makeOwner(house);
  const outsider = await makeMember(house, owner.workspaceId, 'agent');
  const { body: team } = await owner.call('POST', '/teams', { name: 'People', visibility: 'members' });
  const make = async (fields: object): Promise<string> =>
    (await owner.call('POST', '/tickets', { subject: 'pumpkin', body: 'b', ...fields })).body.id;
  const [source, target] = [await make({}), await make({ teamId: team.id })];
  const merge = () => owner.call('POST', `/tickets/${source}/merge`, { targetTicketId: target });
  return { owner, outsider, source, target, merge };
}

test('a merged ticket does not name its target to who does not see that', async () => {
  const { owner, outsider, source, target, merge } = await mergeIntoHidden();
  const stream = await readEvents(house, outsider);
  await stream.until(() => stream.lastEventId() !== '');
  expect((await merge()).status).toBe(200);
  const told = await stream.until((events) => events.some(({ data }) => data.type === 'ticket.merged'));
  stream.close();
  // What was there before may be told again, if a slow transaction has held it back.
  const merged = told.find(({ data }) => data.type === 'ticket.merged');
  expect(merged).toMatchObject({ data: { ticketId: source, ticket: { mergedIntoId: nilId } } });
  expect(JSON.stringify(told)).not.toContain(target);
  for (const path of ['/tickets?status=closed', `/tickets?status=closed&search=pumpkin`]) {
    const { body } = await outsider.call('GET', path);
    expect(body).toMatchObject([{ id: source, mergedIntoId: nilId }]);
  }
  expect((await outsider.call('GET', `/tickets/${source}`)).body.mergedIntoId).toBe(nilId);
  expect((await owner.call('GET', `/tickets/${source}`)).body.mergedIntoId).toBe(target);
  const ofAll = await Promise.all(
    [
      outsider.call('PATCH', `/tickets/${source}`, { priority: 'high' }),
      outsider.call('POST', `/tickets/${source}/messages`, { body: 'b', isInternal: true }),
      outsider.call('POST', `/tickets/${source}/followers`, {}),
    ].map(async (answer) => (await answer).body),
  );
  for (const body of ofAll) expect(body).toMatchObject({ key: 'ticket.merged', params: { mergedIntoId: nilId } });
  const { body: many } = await outsider.call('POST', '/tickets/bulk', { ids: [source], priority: 'high' });
  expect(many.results).toMatchObject([{ error: { params: { mergedIntoId: nilId } } }]);
  expect((await outsider.call('POST', `/tickets/${source}/unmerge`)).body.key).toBe('ticket.not_found');
});

test('the events of a ticket do not name hidden tickets that it was merged with, or split from', async () => {
  const { owner, outsider, source, target, merge } = await mergeIntoHidden();
  await merge();
  await owner.call('POST', `/tickets/${source}/unmerge`);
  const { body: kept } = await owner.call('GET', `/tickets/${source}`);
  await owner.call('POST', `/tickets/${source}/messages`, { body: 'two', isInternal: true });
  const split = await owner.call('POST', `/tickets/${source}/split`, { messageIds: [kept.messages[0].id] });
  const part = split.body.ticket.id;
  const othersOf = async (person: typeof owner) => {
    const { body } = await person.call('GET', `/tickets/${source}/events`);
    return body.items.flatMap(({ data: { intoTicketId, fromTicketId }, otherNumber }: any) =>
      (intoTicketId ?? fromTicketId) ? [[intoTicketId ?? fromTicketId, otherNumber]] : [],
    );
  };
  expect(await othersOf(owner)).toEqual([
    [target, 2],
    [target, 2],
    [part, 3],
  ]);
  expect(await othersOf(outsider)).toEqual([
    [nilId, undefined],
    [nilId, undefined],
    [part, 3],
  ]);
});

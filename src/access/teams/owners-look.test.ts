import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { uploadApart } from '../../../test/harness/uploads.ts';
import { makeMember, makeOwner } from '../../../test/worlds/factories.ts';
import { ingestMails, mailOf, sourceOf, ticketsOf } from '../../../test/worlds/mails.ts';

const house = useHouse();

test('an owner outside a team who opens only a file or a mail of its ticket leaves an entry too', async () => {
  const owner = await makeOwner(house);
  const member = await makeMember(house, owner.workspaceId, 'agent');
  const people = { name: 'People', visibility: 'members', memberIds: [member.userId] };
  const { id: teamId } = (await owner.call('POST', '/teams', people)).body;
  const { body: file } = await uploadApart(house, member);
  const withFile = { subject: 's', body: 'b', teamId, attachmentIds: [file.id] };
  const { body: ticket } = await member.call('POST', '/tickets', withFile);
  await ingestMails(house.app, sourceOf(house, owner), [mailOf()]);
  const mailed = (await ticketsOf(owner)).find(({ channel }) => channel === 'email');
  await owner.call('PATCH', `/tickets/${mailed.id}`, { teamId });
  // As a member of the team, who sees the ids without being an owner.
  const { body: seen } = await member.call('GET', `/tickets/${mailed.id}`);
  const entries = async () =>
    (await owner.call('GET', '/audit?type=ticket.opened_by_owner')).body.items.map(
      ({ data }: any) => data.ticketNumber,
    );
  expect(await entries()).toEqual([]);
  expect((await member.call('GET', `/attachments/${file.id}`)).status).toBe(200);
  expect(await entries()).toEqual([]);
  for (const _twice of [1, 2]) expect((await owner.call('GET', `/attachments/${file.id}`)).status).toBe(200);
  expect(await entries()).toEqual([ticket.ticketNumber]);
  expect((await owner.call('GET', `/messages/${seen.messages[0].id}/raw`)).status).toBe(200);
  expect(await entries()).toEqual([mailed.ticketNumber, ticket.ticketNumber]);
});

import { expect } from 'vitest';
import { newId } from '../../../src/ground/lib/ids.ts';
import type { House } from '../../harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../factories.ts';
import { putMailbox } from '../put-mailbox.ts';

/** A workspace with Ann, Ben, and two teams: People hides its tickets from Ben, Sales does not. */
export async function makeTwoTeams(house: House) {
  const owner = await makeOwner(house);
  const ann = await makeMember(house, owner.workspaceId, 'agent', 'Ann');
  const ben = await makeMember(house, owner.workspaceId, 'agent', 'Ben');
  const make = async (body: object): Promise<string> => (await owner.call('POST', '/teams', body)).body.id;
  const people = await make({ name: 'People', visibility: 'members', memberIds: [ann.userId] });
  const sales = await make({ name: 'Sales', memberIds: [ben.userId] });
  const open = async (fields: object = {}, by = ann) => {
    const { status, body } = await by.call('POST', '/tickets', { subject: 'Pay', body: 'b', ...fields });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body;
  };
  const change = (id: string, fields: object, by = ann) => by.call('PATCH', `/tickets/${id}`, fields);
  /** Connects a mailbox whose tickets begin in a team. */
  async function connect(teamId: string | null): Promise<string> {
    const { workspaceId } = owner;
    const address = `${newId()}@x.org`;
    const { id } = await putMailbox(house, { workspaceId, provider: 'mail-b', address, refreshToken: 'r' });
    await owner.call('PATCH', `/mailboxes/${id}`, { teamId });
    return id;
  }
  return { owner, ann, ben, people, sales, open, change, connect };
}
export type TwoTeams = Awaited<ReturnType<typeof makeTwoTeams>>;

export const sees = async (person: Person, id: string) => (await person.call('GET', `/tickets/${id}`)).status === 200;

export const idsOf = async (person: Person, query = '') =>
  (await person.call('GET', `/tickets?${query}`)).body.map(({ id }: { id: string }) => id);

import { expect, it } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { gatherContacts } from './gather.ts';
import { type MailPerson, nameClaim } from './name-claim.ts';
import { upsertContact } from './upsert.ts';

const house = useHouse();

const imported = (email: string, name: string | null, isSelf: boolean, day: number): MailPerson => ({
  email,
  name,
  claim: nameClaim({ email, name }, isSelf, new Date(Date.UTC(2026, 0, day))),
});
const live = (email: string, name: string | null): MailPerson => ({ email, name, claim: null });

async function named(steps: MailPerson[][]) {
  const { workspaceId } = await makeOwner(house);
  let name: string | null = null;
  for (const people of steps) {
    const contacts = await house.app.db.tx((tx) => gatherContacts(tx, workspaceId, people));
    expect(contacts.size).toBe(1);
    name = contacts.get('ann@example.org')?.name ?? null;
  }
  return name;
}

it('imported mails in any order give a person the name of their own oldest mail', async () => {
  const mails = [
    imported('ann@example.org', 'Annie', false, 1),
    imported('Ann@example.org', 'Ann B.', true, 9),
    imported('ann@example.org', 'Ann', true, 5),
    imported('ann@example.org', null, true, 2),
  ];
  expect(await named([mails])).toBe('Ann');
  expect(await named(mails.map((mail) => [mail]))).toBe('Ann');
  expect(await named(mails.toReversed().map((mail) => [mail]))).toBe('Ann');
});

it('live mail sets a missing name, and changes no existing name', async () => {
  expect(
    await named([[live('ann@example.org', null)], [live('ann@example.org', 'Ann')], [live('ann@example.org', 'Eve')]]),
  ).toBe('Ann');
  expect(await named([[live('ann@example.org', 'Ann')], [imported('ann@example.org', 'Eve', true, 1)]])).toBe('Ann');
});

it('concurrent mails from the same new person create one contact', async () => {
  const { workspaceId } = await makeOwner(house);
  const person = live('bob@example.org', 'Bob');
  const [one, two, three] = await Promise.all([
    house.app.db.tx((tx) => gatherContacts(tx, workspaceId, [person])),
    house.app.db.tx((tx) => gatherContacts(tx, workspaceId, [person])),
    house.app.db.tx((tx) => upsertContact(tx, workspaceId, person)),
  ]);
  const ids = [one.get('bob@example.org')?.id, two.get('bob@example.org')?.id, three.id];
  expect(new Set(ids).size).toBe(1);
});

import { beforeEach, expect, test } from 'vitest';
import { givePassword, makeOwner, type Person } from '../../test/factories.ts';
import { useHouse } from '../../test/harness.ts';
import { placesOf } from '../../test/places-of.ts';

const house = useHouse();
const password = 'correct horse battery';
let owner: Person;
let word: string;
let count = 0;

beforeEach(async () => {
  owner = await makeOwner(house);
  await givePassword(house, owner, password);
  word = `Quellwasser${++count}`;
});

const post = async (path: string, body?: object): Promise<any> => {
  const answer = await owner.call('POST', path, body);
  expect({ path, body: answer.body, isDone: answer.status < 300 }).toMatchObject({ isDone: true });
  return answer.body;
};
const ask = async (email: string) => {
  const found = (await owner.call('GET', `/contacts?search=${encodeURIComponent(email)}`)).body;
  const { id } = found.find(({ emails }: { emails: string[] }) => emails.includes(email));
  return owner.call('POST', `/contacts/${id}/erasure`, { email, password });
};
/** Tables alone: the bytes of files follow later. */
const tablesWith = async (text: string) => (await placesOf(house, text)).filter((place) => !place.includes('/'));

test('cannot be escaped by a merge into another contact, and nobody names the stub', async () => {
  await post('/tickets', { subject: 'Of Zora', body: word, requester: { email: 'zora@z.example', name: 'Zora' } });
  const bob = await post('/tickets', { subject: 'Of Bob', body: 'b', requester: { email: 'bob@b.example' } });
  const { contactId } = (await ask('zora@z.example')).body;
  const other = bob.requester.contactId;
  for (const [method, path, body] of [
    ['POST', `/contacts/${contactId}/merge`, { targetContactId: other }],
    ['POST', `/contacts/${other}/merge`, { targetContactId: contactId }],
    ['PATCH', `/contacts/${contactId}`, { name: 'Zora' }],
  ] as const)
    expect((await owner.call(method, path, body)).body.key).toBe('contact.erased');
  await house.drain();
  expect(await tablesWith(word)).toEqual([]);
});

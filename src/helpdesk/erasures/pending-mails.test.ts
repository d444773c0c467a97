import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { placesOf } from '../../../test/harness/places-of.ts';
import { givePassword, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { mailOf, sourceOf } from '../../../test/worlds/mails.ts';
import { storeRawMails } from '../../transport/mailflow/raw-mails.ts';
import { takePendingMails } from '../../transport/mailflow/take-pending.ts';

const house = useHouse();
const password = 'correct horse battery';
const email = 'zora@z.example';
let owner: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
  await givePassword(house, owner, password);
});

const store = (mails: Buffer[]) => storeRawMails(house.app, sourceOf(house, owner), mails);
const take = async () => {
  const kinds: string[] = [];
  for await (const outcomes of takePendingMails(house.app, sourceOf(house, owner)))
    kinds.push(...outcomes.map(({ kind }) => kind));
  return kinds;
};
const askFor = async (address: string) => {
  const body = { subject: 's', body: 'b', requester: { email: address } };
  const { requester } = (await owner.call('POST', '/tickets', body)).body;
  const asked = await owner.call('POST', `/contacts/${requester.contactId}/erasure`, { email: address, password });
  expect(asked.status).toBe(202);
};

test('erases mail that waited to be taken in when the erasure was asked for, and its later copies', async () => {
  const headers = { From: `Zora <${email}>`, Subject: 'Schneewort', 'Message-ID': '<zora@z.example>' };
  const mail = (received = '') => mailOf({ headers: { Received: received, ...headers }, body: 'Schneewort' });
  const others = mailOf({ headers: { Subject: 'Of Ann' } });
  await store([mail(), others]);
  await askFor(email);
  expect(await take()).toEqual(['known', 'new']);
  await house.drain();
  house.clock.advance(1_000);
  await store([mail('from elsewhere')]);
  expect(await take()).toEqual(['known']);
  const inTables = async (text: string) => (await placesOf(house, text)).filter((place) => !place.includes('/'));
  expect(await inTables('Schneewort')).toEqual([]);
  expect(await inTables(email)).toEqual([]);
  expect((await owner.call('GET', '/tickets')).body).toMatchObject([{ subject: 'Of Ann' }]);
});

test('takes in mail that the person writes after the erasure was asked for', async () => {
  await askFor(email);
  house.clock.advance(1_000);
  await store([mailOf({ headers: { From: `Zora <${email}>`, Subject: 'Anew' } })]);
  expect(await take()).toEqual(['new']);
});

import { readFile } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { runRulesNow, runsOf } from '../../../test/worlds/rules.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse({}, { resolveName: async () => ['93.184.215.14'] });
const guide = await readFile(new URL('../../../docs/rules.md', import.meta.url), 'utf8');
const [, chapter = ''] = guide.split('\n## Recipes\n');
const recipes: any[] = [...chapter.matchAll(/```json\n(.*?)```/gs)].map(([, text = '']) => JSON.parse(text));
const headings = [...chapter.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);

let owner: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
  const hana = await makeMember(house, owner.workspaceId, 'agent');
  const email = `hana-${owner.workspaceId}@radwerk.example`;
  await house.app.db.tx((tx) => {
    tx.revokes();
    return tx.run(sql`update users set email = ${email}, email_key = ${email} where id = ${hana.userId}`);
  });
  const post = async (path: string, body: object) => expect((await owner.call('POST', path, body)).status).toBe(201);
  for (const name of ['Billing', 'Sales']) await post('/teams', { name });
  // Open on another day of the week, so that it is closed now.
  const day = ((house.clock.now().getUTCDay() + 3) % 7) + 1;
  await post('/calendars', { name: 'Office', timeZone: 'UTC', hours: [{ day, open: '09:00', close: '17:00' }] });
  await post('/saved-replies', { name: 'Reset your password', body: 'Follow the link.', isShared: true });
  await post('/webhooks', { url: 'https://hooks.example.org/shop', description: 'Shop' });
  const rules = JSON.parse(JSON.stringify(recipes).replaceAll('hana@radwerk.example', email));
  const put = await owner.call('PUT', '/rules/bundle', { rules });
  expect(put).toMatchObject({ status: 200, body: { created: headings } });
});

/** The rules that ran on the tickets, the oldest ticket first. */
async function ranOn(): Promise<unknown[][]> {
  await runRulesNow(house, owner);
  const ran: unknown[][] = [];
  for (const { id } of await ticketsOf(owner)) ran.push((await runsOf(owner, id)).map((run: any) => [run[0], run[1]]));
  return ran;
}

test('each recipe is a rule of its heading', async () => {
  expect(recipes.map(({ name }) => name)).toEqual(headings);
  expect(headings).toHaveLength(10);
  const { body } = await owner.call('GET', '/rules');
  expect(body.map(({ name, isActive }: any) => [name, isActive])).toEqual(headings.map((name) => [name, true]));
});

test('the recipes for mail run on the mail that they are for, and on no other', async () => {
  const mails = [
    { headers: { Subject: 'Your invoice 17' } },
    { headers: { Subject: 'A visit', To: 'press@radwerk.example' } },
    { headers: { Subject: 'Spring offers', 'List-Unsubscribe': '<https://x.example/u>' } },
    { headers: { Subject: 'Outage in hall 3' } },
    { headers: { Subject: 'I forgot my password' } },
    { headers: { Subject: 'A plain question' } },
  ];
  for (const mail of mails) await ingest(house, owner, [mailOf(mail)]);
  expect(await ranOn()).toEqual([
    [['Invoices go to Billing', 'done']],
    [['Mail to the press address goes to one person', 'done']],
    [['Newsletters do not stand in the inbox', 'done']],
    [['Outages at night wake somebody', 'done']],
    [['A forgotten password is answered at once', 'done']],
    [],
  ]);
});

import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { ingestMails, mailOf, sourceOf } from '../../../../test/worlds/mails.ts';
import { dnsOf, senderDomain } from '../../../../test/worlds/sender-domain.ts';
import { sql } from '../../../ground/database/sql.ts';

const strict = senderDomain('careful.test', { spf: 'v=spf1 ip4:9.9.9.9 -all', dmarc: 'v=DMARC1; p=reject' });
const house = useHouse({}, { resolveDns: dnsOf(strict).resolve });
const desk = 'https://acme.zendesk.com [1G7EOR-0Q2J]';
const reply = { 'In-Reply-To': '<hidden@careful.test>' };
let owner: Person;
let ben: Person;
let people: string;

/** Ann's mail opens a ticket of a team that hides it from Ben. */
beforeEach(async () => {
  owner = await makeOwner(house);
  ben = await makeMember(house, owner.workspaceId, 'agent', 'Ben');
  const team = { name: 'People', visibility: 'members', memberIds: [] };
  people = (await owner.call('POST', '/teams', team)).body.id;
  await take({ 'Message-ID': '<hidden@careful.test>', Subject: 'Pay' }, 'true');
  const { id } = await hidden();
  await owner.call('PATCH', `/tickets/${id}`, { teamId: people });
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into thread_tokens (workspace_id, ticket_id, source, token)
      values (${owner.workspaceId}, ${id}, 'zendesk', '1g7eor0q2j')`),
  );
});

/** From Ann, truly or in her name. */
async function take(headers: Record<string, string>, who: 'true' | 'forged', body = '> Your pay is 1.'): Promise<void> {
  const address = who === 'true' ? '9.9.9.9' : '8.8.8.8';
  const envelope = { from: 'ann@careful.test', to: [], client: { address, helo: 'mx.careful.test' } };
  const sentAt = house.clock.now().toUTCString();
  const mail = mailOf({ headers: { From: 'ann@careful.test', Date: sentAt, ...headers }, body });
  await ingestMails(house.app, { ...sourceOf(house, owner), envelope }, [mail]);
}
const hidden = async (): Promise<any> => (await owner.call('GET', '/tickets?sort=createdAt&order=asc')).body[0];
const block = () => owner.call('POST', '/blocked-senders', { sender: 'ann@careful.test' });
const trash = async () => owner.call('DELETE', `/tickets/${(await hidden()).id}`);
const nothing = async () => undefined;

test.each<[string, () => Promise<unknown>, 'true' | 'forged', Record<string, string>, string?]>([
  ['a forged answer', nothing, 'forged', reply],
  ['an answer of a blocked person', block, 'true', reply],
  ['a forged answer to a ticket in the trash', trash, 'forged', reply],
  ['a blocked answer to a ticket in the trash', () => block().then(trash), 'true', reply],
  ['an answer to a ticket in the trash by the token of a former desk', trash, 'true', {}, desk],
  ['a forged answer by the token of a former desk', nothing, 'forged', {}, desk],
])('%s opens a ticket that is hidden like the one that it may quote', async (_what, prepare, who, headers, body) => {
  await prepare();
  await take({ Subject: 'Re: My pay', ...headers }, who, body);
  const rows = await house.app.db.rows<{ teamId: string; continued: string | null }>(sql`
    select team_id as "teamId", continued_in_id as continued from tickets where workspace_id = ${owner.workspaceId}`);
  expect(rows).toEqual([
    { teamId: people, continued: null },
    { teamId: people, continued: null },
  ]);
  for (const list of ['', 'spam=true']) expect((await ben.call('GET', `/tickets?${list}`)).body).toEqual([]);
});

test('forged mail that names a ticket without a team opens a ticket as any mail', async () => {
  await owner.call('PATCH', `/tickets/${(await hidden()).id}`, { teamId: null });
  await take(reply, 'forged');
  expect((await ben.call('GET', '/tickets')).body).toMatchObject([{ teamId: null }, { teamId: null }]);
});

/**
 * Checks what it costs to tell fifty people of new tickets: a thousand may take at most a tenth longer than where
 * nobody wants to be told. The tickets come one by one, over the API and as mails, so that each is a transaction of its
 * own. `node bench/prove/told.ts` starts everything that it needs, and exits with 1 over the limit.
 */

import { sql } from '../../src/ground/database/sql.ts';
import type { House } from '../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../test/worlds/factories.ts';
import { ingestMails, mailOf } from '../../test/worlds/mails.ts';
import { proveAt } from './place.ts';

const people = 50;
const tickets = 1_000;
const blockSize = 25;
const warmUps = 2;
const ratioMax = 1.1;

type Bring = (house: House, owner: Person) => Promise<void>;

const ways: Record<string, Bring> = {
  'over the API': async (_house, owner) => {
    const ticket = { subject: 'The printer hums', body: 'Quietly.', requester: { email: 'ann@example.org' } };
    const { status } = await owner.call('POST', '/tickets', ticket);
    if (status !== 201) throw new Error(`answered ${status}`);
  },
  'as mails': async ({ app }, { workspaceId }) => {
    const received = { origin: 'live', via: 'smtp', mailboxId: null, receivedAt: new Date() } as const;
    const headers = { Subject: `The printer hums ${crypto.randomUUID()}`, Date: received.receivedAt.toUTCString() };
    // The worker of the service may be faster.
    await ingestMails(app, { workspaceId, ...received }, [mailOf({ headers })]);
  },
};

async function makeTeam(house: House, isTold: boolean): Promise<{ owner: Person; team: Person[] }> {
  const owner = await makeOwner(house);
  const team: Person[] = [];
  for (let n = 0; n < people; n++) team.push(await makeMember(house, owner.workspaceId, 'agent'));
  const types = { new_ticket: { inApp: isTold, email: isTold } };
  for (const person of team) await person.call('PATCH', '/v1/me/notification-preferences', { types });
  return { owner, team };
}

/** Brings the tickets in blocks, to both teams in turns, and adds up the times. */
async function compare(house: House, name: string, bring: Bring): Promise<void> {
  const [quiet, told] = [await makeTeam(house, false), await makeTeam(house, true)];
  const took = new Map([quiet, told].map((side) => [side, 0]));
  for (let block = 0; block < tickets / blockSize + warmUps; block++) {
    // Without statistics PostgreSQL would look up a ticket among all of its workspace.
    if (block === warmUps) await house.app.db.pool.query('analyze');
    for (const side of block % 2 === 0 ? [quiet, told] : [told, quiet]) {
      const startedAt = performance.now();
      for (let n = 0; n < blockSize; n++) await bring(house, side.owner);
      if (block >= warmUps) took.set(side, (took.get(side) ?? 0) + performance.now() - startedAt);
    }
  }
  const { count } = await house.app.db.one<{ count: number }>(sql`
    select count(*) as count from notifications
    where workspace_id = ${told.owner.workspaceId} and type = 'new_ticket'`);
  const [first = told.owner] = told.team;
  const { items } = (await first.call('GET', '/notifications')).body;
  if (count !== people || items[0]?.count !== tickets)
    throw new Error(`${count} of ${people} people were told, of ${items[0]?.count} tickets`);
  const [without = 0, withThem = 0] = took.values();
  const ratio = withThem / without;
  const each = [without, withThem].map((ms) => (ms / tickets).toFixed(2));
  console.log(
    `${name}: ${each[0]} ms a ticket with nobody told, ${each[1]} ms with ${people}, ratio ${ratio.toFixed(3)}`,
  );
  if (!(ratio < ratioMax)) process.exitCode = 1;
}

await proveAt(1, async ({ house }) => {
  for (const [name, bring] of Object.entries(ways)) await compare(house, name, bring);
});

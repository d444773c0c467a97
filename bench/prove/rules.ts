/**
 * Measures how long rules take from a fact to its effect, with 100 facts a second: 99 of 100 must be committed within a
 * second, and each once. `node bench/prove/rules.ts [seconds] [facts a second]` starts everything that it needs, and
 * exits with 1 otherwise. The time of a fact is that at which its request began to write.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/ground/database/sql.ts';
import type { House } from '../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../test/worlds/factories.ts';
import { makeRule } from '../../test/worlds/rules.ts';
import { proveAt } from './place.ts';

const perSecond = Number(process.argv[3] ?? 100);
const p99MaxMs = 1_000;
/** Each ticket has fewer runs than the limit of an hour. */
const changesOfTicket = 15;
/** Rules that look at each fact, and do nothing. */
const idleRules = 20;
const waitMsMax = 60_000;

/** Two rules whose effect the other undoes, behind others that ask for something else. */
async function makeRules(owner: Person): Promise<void> {
  const trigger = { event: 'ticket.priority_changed' };
  for (let index = 0; index < idleRules; index++) {
    const all = [{ ticket: { tags: [`customer ${index}`], status: ['open', 'pending'] } }];
    await makeRule(owner, { trigger, conditions: { all }, actions: { addTags: ['seen'] } });
  }
  const when = (priority: string) => ({ trigger, conditions: { all: [{ ticket: { priority } }] } });
  await makeRule(owner, { ...when('high'), actions: { addTags: ['hot'], assignee: owner.userId } });
  await makeRule(owner, { ...when('low'), actions: { removeTags: ['hot'], assignee: 'none' } });
}

/** Notes when each run is committed: the trigger fires with the commit. */
const noteCommits = `
  create table prove_effects (fact uuid not null, rule uuid not null, at timestamptz not null);
  create function prove_effect() returns trigger language plpgsql as $$
    begin
      insert into prove_effects values (new.activity_id, new.rule_id, clock_timestamp());
      return null;
    end $$;
  create constraint trigger prove_effect after insert on rule_runs
    deferrable initially deferred for each row execute function prove_effect()`;

/** Changes tickets at an even pace, whether or not earlier changes are answered. @returns how many were refused */
async function offer(owner: Person, ticketIds: readonly string[], facts: number): Promise<number> {
  const startedAt = performance.now();
  const answers: Promise<{ status: number }>[] = [];
  while (answers.length < facts) {
    const due = Math.min(facts, ((performance.now() - startedAt) / 1_000) * perSecond);
    while (answers.length < due) {
      const round = Math.floor(answers.length / ticketIds.length);
      const at = `/tickets/${ticketIds[answers.length % ticketIds.length]}`;
      answers.push(owner.call('PATCH', at, { priority: round % 2 === 0 ? 'high' : 'low' }));
    }
    await sleep(1);
  }
  return (await Promise.all(answers)).filter(({ status }) => status !== 200).length;
}

type Figures = { facts: number; effects: number; doubled: number; p50: number; p99: number; most: number };

async function read({ app: { db } }: House, { workspaceId }: Person): Promise<Figures> {
  return db.one<Figures>(sql`
    select count(*)::integer as facts, count(e.at)::integer as effects,
      coalesce(sum(e.doubled), 0)::integer as doubled,
      percentile_cont(0.5) within group (order by e.ms) as p50,
      percentile_cont(0.99) within group (order by e.ms) as p99, max(e.ms) as most
    from activity a
    left join lateral (
      select min(at) as at, count(*) - count(distinct rule) as doubled,
        extract(epoch from min(at) - a.created_at)::float8 * 1000 as ms
      from prove_effects where fact = a.id
    ) e on true
    where a.workspace_id = ${workspaceId} and a.type = 'ticket.priority_changed' and a.actor_type = 'agent'`);
}

async function measure(house: House): Promise<void> {
  const facts = Number(process.argv[2] ?? 30) * perSecond;
  const owner = await makeOwner(house);
  await house.app.db.pool.query(noteCommits);
  await makeRules(owner);
  const ids: string[] = [];
  while (ids.length < Math.ceil(facts / changesOfTicket)) {
    const { body } = await owner.call('POST', '/tickets', { subject: `Question ${ids.length}`, body: 'b' });
    ids.push(body.id);
  }
  const refused = await offer(owner, ids, facts);
  const until = performance.now() + waitMsMax;
  let figures = await read(house, owner);
  while (figures.effects < figures.facts && performance.now() < until) {
    await sleep(100);
    figures = await read(house, owner);
  }
  const { effects, doubled, p50, p99, most } = figures;
  const [half, nearly, all] = [p50, p99, most].map((ms) => `${ms.toFixed(0)} ms`);
  console.log(
    `${figures.facts} facts at ${perSecond}/s, ${refused} requests refused: p50 ${half}, p99 ${nearly}, most ${all}`,
  );
  console.log(`${effects} effects, ${figures.facts - effects} missing, ${doubled} doubled`);
  // Changes that overtake one another on a ticket change nothing.
  const isWhole = refused === 0 && effects > 0 && effects === figures.facts && doubled === 0;
  if (!isWhole || p99 > p99MaxMs) process.exitCode = 1;
}

if (import.meta.main) await proveAt(1, ({ house }) => measure(house));

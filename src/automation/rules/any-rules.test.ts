import { expect, test } from 'vitest';
import { buildReplica, useHouse } from '../../../test/harness/harness.ts';
import { randomOf } from '../../../test/harness/random.ts';
import { diceOf } from '../../../test/worlds/automation/any-rules.ts';
import { openRuleStorm } from '../../../test/worlds/automation/rule-storm.ts';
import { unreadFacts } from '../../../test/worlds/rules.ts';
import type { Db, Tx } from '../../ground/database/db.ts';
import { isDatabaseAway } from '../../ground/database/faults.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { runOnNews } from './read-facts.ts';
import { workOnTimers } from './run-timers.ts';

/** `RULES_ROUNDS` and `RULES_SEED` try more rules and facts, or the same ones again. */
const isLong = process.env.RULES_ROUNDS !== undefined;
const rounds = Number(process.env.RULES_ROUNDS ?? 2);
const firstSeed = Number(process.env.RULES_SEED ?? 1);
const ourAddress = 'support@example.com';
const house = useHouse({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: ourAddress });

test('any rules on any facts do what they say, once, whenever their readers are killed', {
  timeout: 120_000 + rounds * 60_000,
}, async () => {
  const total = { events: 0, runs: 0, mails: 0, killed: 0 };
  for (let seed = firstSeed; seed < firstSeed + rounds; seed++) {
    const random = randomOf(seed);
    const storm = await openRuleStorm(house, { dice: diceOf(random), rules: 14, ourAddress });
    const readers = await openReaders(storm.owner.workspaceId, randomOf(seed + 1_000_000));
    try {
      for (let hour = 0; hour < 3; hour++) {
        await storm.resume();
        await storm.changes(await storm.look(), 40);
        await storm.look();
        await readers.run(runOnNews, storm.creates(30));
        const said = { seed, hour, differences: await storm.check() };
        expect(said).toEqual({ seed, hour, differences: [] });
        storm.passHour();
        await readers.run(workOnTimers, Promise.resolve());
        storm.fallDue();
        await readers.run(runOnNews, Promise.resolve());
        expect({ seed, hour, differences: await storm.check() }).toEqual({ seed, hour, differences: [] });
        storm.passHour();
      }
    } finally {
      total.killed += await readers.close();
    }
    for (const name of ['events', 'runs', 'mails'] as const) total[name] += storm.effects[name];
    expect(await messagesOfRules(storm.owner.workspaceId)).toBe(await factsOfMessages(storm.owner.workspaceId));
  }
  if (isLong) process.stderr.write(`${rounds} workspaces: ${JSON.stringify(total)}\n`);
  expect(total.killed).toBeGreaterThan(rounds);
  expect(total.events).toBeGreaterThan(rounds * 100);
  expect(total.mails).toBeGreaterThan(0);
});

/** Two processes that read, and lose their connections in the middle of the work. */
async function openReaders(workspaceId: WorkspaceId, random: () => number) {
  const replicas = [await buildReplica(house), await buildReplica(house)];
  let killed = 0;
  const read = async (db: Db, work: typeof runOnNews, isOver: () => Promise<boolean>) => {
    do {
      try {
        await work(mortal(db, random), workspaceId);
      } catch (error) {
        if (!isDatabaseAway(error)) throw error;
        killed++;
      }
    } while (!(await isOver()));
  };
  return {
    /** Works until there is nothing more to do, and at least as long as the other work takes. */
    run: async (work: typeof runOnNews, meanwhile: Promise<void>): Promise<void> => {
      let isMade = false;
      const isOver = async () => isMade && !(await isAnythingLeft(work, workspaceId));
      const all = replicas.map(({ app }) => read(app.db, work, isOver));
      await Promise.all([...all, meanwhile.finally(() => (isMade = true))]);
    },
    close: async () => {
      for (const replica of replicas) await replica.close();
      return killed;
    },
  };
}

async function isAnythingLeft(work: typeof runOnNews, workspaceId: WorkspaceId): Promise<boolean> {
  if (work === runOnNews) return (await unreadFacts(house, workspaceId)) > 0;
  const due = await house.app.db.rows(sql`
    select from rule_timers
    where workspace_id = ${workspaceId} and done_at is null and due_at <= ${house.clock.now()} limit 1`);
  return due.length > 0;
}

/** Every third transaction loses its connection at one of its statements. */
function mortal(db: Db, random: () => number): Db {
  const tx: Db['tx'] = (work) =>
    db.tx((live) => {
      let left = random() < 1 / 3 ? Math.ceil(random() ** 2 * 300) : Number.POSITIVE_INFINITY;
      const before = <Result>(send: () => Promise<Result>): Promise<Result> => {
        left -= 1;
        return left === 0 ? live.run(sql`select pg_terminate_backend(pg_backend_pid())`).then(send) : send();
      };
      const dying: Tx = {
        ...live,
        rows: (query) => before(() => live.rows(query)),
        maybe: (query) => before(() => live.maybe(query)),
        one: (query) => before(() => live.one(query)),
        run: (query) => before(() => live.run(query)),
      };
      return work(dying);
    });
  return { ...db, tx };
}

async function messagesOfRules(workspaceId: WorkspaceId): Promise<number> {
  const { count } = await house.app.db.one<{ count: number }>(sql`
    select count(*) from messages where workspace_id = ${workspaceId} and author_type = 'system'`);
  return count;
}

async function factsOfMessages(workspaceId: WorkspaceId): Promise<number> {
  const { count } = await house.app.db.one<{ count: number }>(sql`
    select count(*) from activity
    where workspace_id = ${workspaceId} and type = 'message.added' and cause->>'kind' = 'rule'`);
  return count;
}

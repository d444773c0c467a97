import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { untilCertain } from '../../../test/worlds/integrator.ts';
import type { Tx } from '../../ground/database/db.ts';
import { readMoment } from '../../ground/database/moment.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { type DueKind, drainDueWork } from '../../ground/queue/due-work.ts';
import { factsFromNow, hasNews, type ReadFact, readOn } from './fact-reader.ts';
import { record } from './record.ts';

const house = useHouse();

/** What readers did. Without a key, so that nothing but the reader itself keeps an effect from happening twice. */
beforeAll(() => house.app.db.pool.query('create table effects (at bigserial, reader uuid, fact uuid)'));

type Reader = { id: string; workspaceId: WorkspaceId; owner: Person; ticketId: TicketId };

async function makeReader(owner: Person): Promise<Reader> {
  const { workspaceId } = owner;
  const ticketId = (await owner.call('POST', '/tickets', { subject: 's', body: 'b' })).body.id;
  await untilCertain(house, owner);
  const id = await house.app.db.tx(async (tx) => {
    const [hookId, from] = [tx.newId(), await factsFromNow(tx)];
    await tx.run(sql`
      insert into webhooks (workspace_id, id, url, events, status, secret, read_transaction_id, read_id,
        created_by_id, created_at, updated_at)
      values (${workspaceId}, ${hookId}, 'https://example.org', '{}', 'disabled', 'x', ${from.transactionId}::xid8,
        ${from.id}, ${owner.userId}, ${tx.now}, ${tx.now})`);
    return hookId;
  });
  return { id, workspaceId, owner, ticketId };
}

const addFact = (tx: Tx, { owner, ticketId }: Reader) =>
  record(tx, owner, { ticketId, type: 'ticket.archived', data: {} });
const act = (tx: Tx, { id }: Reader, facts: readonly ReadFact[]) => {
  const archived = facts.filter(({ type }) => type === 'ticket.archived').map((fact) => fact.id);
  return tx.run(sql`insert into effects (reader, fact) select ${id}, unnest(${archived}::uuid[])`);
};

/** @param end what follows the effects, before the commit */
const read = (reader: Reader, factsMax = 3, end: (tx: Tx) => Promise<unknown> = async () => {}) =>
  house.app.db.tx((tx) =>
    readOn(tx, { table: 'webhooks', ...reader, factsMax }, async (facts) => {
      await act(tx, reader, facts);
      await end(tx);
    }),
  );

const effectsOf = async ({ id }: Reader): Promise<string[]> =>
  (await house.app.db.rows<{ fact: string }>(sql`select fact from effects where reader = ${id} order by at`)).map(
    ({ fact }) => fact,
  );
const factsOf = async ({ workspaceId }: Reader): Promise<string[]> => {
  const rows = await house.app.db.rows<{ id: string }>(sql`
    select id from activity where workspace_id = ${workspaceId} and type = 'ticket.archived'
    order by transaction_id, id`);
  return rows.map(({ id }) => id);
};

test('each fact has its effect once and in order, however commits, readers, faults and killed links meet', async () => {
  for (let round = 0; round < 8; round++) {
    const reader = await makeReader(await makeOwner(house));
    const open: { commit: () => void; done: Promise<void> }[] = [];
    const steps = [
      // A fact whose transaction commits later than the next ones.
      async () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        const begun = Promise.withResolvers<void>();
        const done = house.app.db.tx(async (tx) => {
          await addFact(tx, reader);
          begun.resolve();
          await promise;
        });
        await begun.promise;
        open.push({ commit: resolve, done });
      },
      async () => {
        const [some] = open.splice(Math.floor(Math.random() * open.length), 1);
        some?.commit();
        await some?.done;
      },
      () => house.app.db.tx((tx) => addFact(tx, reader)),
      () => Promise.all([read(reader), read(reader, 1), read(reader, 5)]),
      () => read(reader, 2, () => Promise.reject(new Error('a fault'))).catch(() => {}),
      () => read(reader, 2, (tx) => tx.run(sql`select pg_terminate_backend(pg_backend_pid())`)).catch(() => {}),
    ];
    for (let step = 0; step < 25; step++) {
      // Each open transaction has a connection.
      const random = Math.floor(Math.random() * steps.length);
      await steps[open.length > 3 && random === 0 ? 1 : random]?.();
    }
    for (const { commit, done } of open) {
      commit();
      await done;
    }
    await untilCertain(house, reader.owner);
    const facts = await factsOf(reader);
    for (let left = facts.length; left >= 0; left--) await read(reader);
    expect(await effectsOf(reader)).toEqual(facts);
  }
});

test('a reader that fails keeps its place, and holds up no other reader of its workspace', async () => {
  const owner = await makeOwner(house);
  const [failing, other] = [await makeReader(owner), await makeReader(owner)];
  await house.app.db.tx((tx) => addFact(tx, other));
  await untilCertain(house, owner);
  let fails = true;
  const kind: DueKind = {
    name: 'facts.test',
    places: 1,
    list: async (db, { except }) => {
      const moment = await readMoment(db);
      return db.rows(sql`
        select r.workspace_id as "workspaceId", r.id from webhooks r
        where r.workspace_id = ${owner.workspaceId} and ${hasNews(moment)} ${except(sql`r.id`)} order by r.id`);
    },
    work: async ({ id }) => {
      if (id === failing.id)
        await read(failing, 3, () => (fails ? Promise.reject(new Error('a fault')) : Promise.resolve()));
      else await read(other);
    },
  };
  await drainDueWork(house.app, kind);
  const [fact] = await factsOf(other);
  expect([await effectsOf(failing), await effectsOf(other)]).toEqual([[], [fact]]);
  fails = false;
  await drainDueWork(house.app, kind);
  expect([await effectsOf(failing), await effectsOf(other)]).toEqual([[fact], [fact]]);
});

test('facts of the past have no effect, and a position ahead of the server begins anew', async () => {
  const reader = await makeReader(await makeOwner(house));
  const fact = { ticketId: reader.ticketId, type: 'ticket.archived', data: {}, isPast: true, isQuiet: true } as const;
  await house.app.db.tx((tx) => record(tx, reader.owner, fact));
  await read(reader);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update webhooks set read_transaction_id = '900000000000'
      where workspace_id = ${reader.workspaceId} and id = ${reader.id}`),
  );
  await read(reader);
  await house.app.db.tx((tx) => addFact(tx, reader));
  await untilCertain(house, reader.owner);
  await read(reader);
  expect(await effectsOf(reader)).toHaveLength(1);
});

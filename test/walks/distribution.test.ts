import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { coordinatorTables, copiedTables, workspaceTables } from '../../src/ground/database/table-places.ts';
import { useHouse } from '../harness/harness.ts';
import { makeMember, makeOwner } from '../worlds/factories.ts';

const house = useHouse();
/** A unique index; primary keys count too. */
type Key = { table: string; name: string; isPrimary: boolean; columns: string[] };
type ForeignKey = { table: string; name: string; columns: string[]; target: string; targetColumns: string[] };

let keys: Key[];
let foreignKeys: ForeignKey[];
/** Tables of a workspace: their primary key begins with `workspace_id`. */
let tenantTables: string[];
let otherTables: string[];
let archiving: string;

const query = async <Row>(text: string): Promise<Row[]> => (await house.app.db.pool.query(text)).rows as Row[];
const foreignKeysNow = () =>
  query<ForeignKey>(`
    select k.conrelid::regclass::text as table, k.conname as name, k.confrelid::regclass::text as target,
      array(select a.attname::text from unnest(k.conkey) with ordinality c (n, place)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.n order by c.place) as columns,
      array(select a.attname::text from unnest(k.confkey) with ordinality c (n, place)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = c.n order by c.place) as "targetColumns"
    from pg_constraint k
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace
    order by 1, 2`);

beforeAll(async () => {
  keys = await query<Key>(`
    select i.indrelid::regclass::text as table, i.indexrelid::regclass::text as name, i.indisprimary as "isPrimary",
      array(select pg_get_indexdef(i.indexrelid, n, true) from generate_series(1, i.indnkeyatts) n) as columns
    from pg_index i
    join pg_class c on c.oid = i.indexrelid and c.relnamespace = 'public'::regnamespace
    where i.indisunique
    order by 1, 2`);
  foreignKeys = await foreignKeysNow();
  const primaryKeys = keys.filter(({ isPrimary }) => isPrimary);
  const isTenants = ({ columns }: Key): boolean => columns[0] === 'workspace_id';
  tenantTables = primaryKeys.filter(isTenants).map(({ table }) => table);
  const all = await query<{ name: string }>(
    `select c.relname as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`,
  );
  otherTables = all.map(({ name }) => name).filter((name) => !tenantTables.includes(name));
  const page = await readFile(new URL('../../docs/scale.md', import.meta.url), 'utf8');
  const block = (beginning: string): string =>
    new RegExp(`\`\`\`sql\\n(-- ${beginning}.*?)\`\`\``, 's').exec(page)?.[1] ?? '';
  archiving = block('Archives');
});

test('each table has one place on a cluster, those with workspace_id first in their keys that of a workspace', () => {
  expect(tenantTables.toSorted()).toEqual(workspaceTables.toSorted());
  expect(otherTables.toSorted()).toEqual([...copiedTables, ...coordinatorTables].toSorted());
});

test("a workspace's rows are unique within it, never across workspaces", () => {
  const across = keys.filter(({ table, columns }) => tenantTables.includes(table) && columns[0] !== 'workspace_id');
  expect(across).toEqual([]);
});

test('a row refers to rows of its own workspace, or to a table that each node has a copy of', () => {
  const faults = foreignKeys.filter(({ table, target, columns, targetColumns }) => {
    if (!tenantTables.includes(table)) return false;
    if (!tenantTables.includes(target)) return !copiedTables.includes(target);
    const at = columns.indexOf('workspace_id');
    return at === -1 || targetColumns[at] !== 'workspace_id';
  });
  expect(faults).toEqual([]);
});

test('no table has a trigger, since distributed tables cannot have triggers', async () => {
  expect(
    await query(`select tgname from pg_trigger where not tgisinternal and tgrelid in (
    select oid from pg_class where relnamespace = 'public'::regnamespace)`),
  ).toEqual([]);
});

test('the guide names the tables of which each node has a copy', async () => {
  const page = await readFile(new URL('../../docs/scale.md', import.meta.url), 'utf8');
  for (const table of copiedTables) expect(page).toContain(`\`${table}\``);
});

test('the archiving of docs/scale.md deletes events before the day, and their notifications', async () => {
  const owner = await makeOwner(house);
  const { userId: assigneeId } = await makeMember(house, owner.workspaceId, 'agent');
  const { body: ticket } = await owner.call('POST', '/tickets', { subject: 's', body: 'b', assigneeId });
  const counts = () =>
    query(`select (select count(*) from activity) as facts, (select count(*) from notifications) as notifications`);
  const before = await counts();
  expect(before).toEqual([{ facts: 2, notifications: 1 }]);
  await query(archiving);
  expect(await counts()).toEqual(before);
  await query(archiving.replace('2025-01-01', '2100-01-01'));
  expect(await counts()).toEqual([{ facts: 0, notifications: 0 }]);
  expect((await owner.call('GET', `/tickets/${ticket.id}/events`)).body).toEqual({ items: [] });
});

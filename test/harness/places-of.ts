import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { sql } from '../../src/ground/database/sql.ts';
import type { House } from './harness.ts';
import { keptFiles } from './uploads.ts';

/**
 * Every place that has a word, in any case: tables of the database, and files.
 * Reads all rows as text, so no column is forgotten.
 */
export async function placesOf(house: House, word: string): Promise<string[]> {
  const { db } = house.app;
  const tables = await db.rows<{ name: string }>(sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')
    order by 1`);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await db.pool.query(
      `select 1 from ${name} t where strpos(lower(t::text), lower($1)) > 0 limit 1`,
      [word],
    );
    if (rows.length > 0) found.push(name);
  }
  for (const path of await keptFiles(house)) {
    const bytes = await readFile(path);
    const text = path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    if (text.toString('latin1').toLowerCase().includes(word.toLowerCase())) found.push(path);
  }
  return found;
}

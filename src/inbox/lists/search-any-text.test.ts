import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cloneDatabase } from '../../../test/harness/harness.ts';
import { inventedId } from '../../../test/worlds/factories.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { messageSearchVector } from '../../helpdesk/messages/words.ts';
import { ticketSearchVector } from '../../helpdesk/tickets/rows.ts';

const workspaceId = inventedId<WorkspaceId>('00000000-0000-7000-8000-000000000001');
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let client: pg.Client;

beforeAll(async () => {
  database = await cloneDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

/** @returns how many words PostgreSQL found in the vector; throws if PostgreSQL rejects it */
async function wordsIn(vector: string): Promise<number> {
  const { rows } = await client.query<{ words: number }>('select length($1::tsvector) as words', [vector]);
  return rows[0]?.words ?? 0;
}

const textOf = (count: number, characterAt: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => characterAt(at)).join('');
const rareHan = (at: number) => String.fromCodePoint(0x20000 + (at % 42_000));
/** Builds text without repeated pairs of characters, as far as the characters go. */
const distinctPairs = (count: number) => textOf(count, (at) => rareHan(at * (1 + Math.floor(at / 42_000))));

it.each([
  ['distinct pairs of rare Han characters', distinctPairs(60_000)],
  ['distinct Han characters apart', textOf(60_000, (at) => `${rareHan(at)} `)],
  ['distinct short words', textOf(60_000, (at) => `${at.toString(36)} `)],
  ['distinct long words', textOf(2_000, (at) => `${rareHan(at)}${'𝒜𐐀'.repeat(40)}${at} `)],
  ['one word', 'word '.repeat(60_000)],
  ['emoji', textOf(60_000, (at) => String.fromCodePoint(0x1f300 + (at % 700)))],
  ['ligatures that fold to eighteen characters', textOf(60_000, (at) => `ﷺ${rareHan(at)}`)],
  ['ligatures between digits', textOf(30_000, (at) => `ﷺ${at}`)],
  ['squared words', textOf(60_000, (at) => String.fromCodePoint(0x3300 + ((at * at) % 88)))],
])('a long text of %s makes a vector that PostgreSQL takes', async (_what, text) => {
  await expect(wordsIn(messageSearchVector(workspaceId, text))).resolves.toBeGreaterThan(0);
  const people = Array.from({ length: 1_000 }, (_, at) => ({
    email: `p${at}@example.org`,
    name: text.slice(at * 30, at * 30 + 3_000),
  }));
  const attachmentNames = Array.from({ length: 500 }, (_, at) => text.slice(at * 100, at * 100 + 1_000));
  await expect(
    wordsIn(ticketSearchVector(workspaceId, { subject: text, people, attachmentNames })),
  ).resolves.toBeGreaterThan(0);
});

it('all parts of a vector share one budget, and the first parts win', async () => {
  const names = distinctPairs(50_000);
  const people = Array.from({ length: 1_000 }, (_, at) => ({
    email: `p${at}@example.org`,
    name: names.slice(at * 100, at * 100 + 100),
  }));
  const vector = ticketSearchVector(workspaceId, { subject: 'printer', people, attachmentNames: ['late.pdf'] });
  expect(vector).toContain(' 00001printer:1A ');
  expect(vector).not.toContain('late:');
  expect(await wordsIn(vector)).toBeLessThan(50_000);
});

it('any text makes a vector that PostgreSQL accepts', async () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2_000 }),
    fc.string({ unit: 'grapheme', maxLength: 2_000 }),
    fc
      .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), fc.nat(500))
      .map(([unit, times]) => unit.repeat(times)),
    fc
      .tuple(
        fc.integer({ min: 0x20, max: 0x2ffff }),
        fc.integer({ min: 1, max: 60_000 }),
        fc.constantFrom('', ' ', 'a', '한'),
      )
      .map(([start, count, between]) =>
        textOf(count, (at) => `${String.fromCodePoint((start + at) % 0x110000)}${between}`),
      ),
  );
  await fc.assert(
    fc.asyncProperty(anyText, fc.array(anyText, { maxLength: 3 }), async (subject, attachmentNames) => {
      const people = attachmentNames.map((name) => ({ email: `${name}@example.org`, name }));
      expect(await wordsIn(ticketSearchVector(workspaceId, { subject, people, attachmentNames }))).toBeGreaterThan(0);
    }),
    { numRuns: 60, endOnFailure: true },
  );
}, 60_000);

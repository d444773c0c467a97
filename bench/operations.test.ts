import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomOf } from '../emulators/random.ts';
import { useHouse } from '../test/harness/harness.ts';
import { givenOf } from './driver.ts';
import { fill } from './fill.ts';
import { openLimitPool } from './limit-pool.ts';
import type { Operation, Wanted } from './operation.ts';
import { operations } from './operations.ts';
import { requestOf, signTokens } from './requests.ts';
import { mailWebhookSecret, worldOf } from './world.ts';

const authSecret = 'a secret that is long enough for the bench';
const house = useHouse({ AUTH_SECRET: authSecret, MAIL_A_WEBHOOK_SECRET: mailWebhookSecret });
const world = { ...worldOf('small'), ticketCount: 400 };
let pool: pg.Pool;
let tokens: ReadonlyMap<string, string>;
let forgedTokens: ReadonlyMap<string, string>;

beforeAll(async () => {
  await fill(house.databaseUrl, world, () => {});
  pool = openLimitPool(house.databaseUrl);
  tokens = signTokens(authSecret);
  forgedTokens = signTokens(`not ${authSecret}`);
});
afterAll(() => pool?.end());

async function begin(operation: Operation): Promise<(answer: string | undefined) => Wanted> {
  const random = randomOf(3);
  if ('follow' in operation) return operation.follow({ world, pool, random, connection: 1 });
  const wanted = operation.want(world, random);
  return () => wanted;
}

async function askService(operation: Operation, wanted: Wanted): Promise<{ status: number; text: string }> {
  const {
    method = 'GET',
    path,
    headers,
    body,
  } = requestOf(operation, wanted, operation.isRefused ? forgedTokens : tokens);
  const response = await fetch(`${house.url}${path}`, {
    method,
    headers: headers as Record<string, string>,
    ...(body === undefined ? {} : { body: String(body) }),
  });
  return { status: response.status, text: await response.text() };
}

type Answer = { id?: string; count?: number; items?: Answer[]; messages?: Answer[] };

/** The ids or the count of an answer, in its order. */
function gistOf(answer: Answer | Answer[]): unknown {
  if (Array.isArray(answer)) return answer.map(({ id }) => id);
  const { items, messages, count, id } = answer;
  return (items ?? messages)?.map((item) => item.id) ?? (count === undefined ? id : Number(count));
}

/** The service breaks ties in another order, and ranks recent tickets higher. */
const isRankedOtherwise = new Set(['search-common-word', 'search-two-words']);

test.each(operations)('$name is a good request, and the limit gives what the service does', async (operation) => {
  const next = await begin(operation);
  const asked = next(undefined);
  const { status, text } = await askService(operation, asked);
  expect(operation.isRefused ? status === 401 : status < 300, `${status} ${text}`).toBe(true);
  const limited = (await operation.limit(pool, givenOf('follow' in operation ? next(text) : asked))) as Answer;
  expect(limited).toBeDefined();
  if (operation.isWrite || operation.isRefused || isRankedOtherwise.has(operation.name)) return;
  expect(gistOf(limited)).toEqual(gistOf(JSON.parse(text) as Answer));
});

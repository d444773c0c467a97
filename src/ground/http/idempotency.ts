import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../catalog/actor.ts';
import { type Db, type Tx, together } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { Sweep } from '../database/sweep.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { actorOf, etagOf } from './http.ts';

export type Answer = {
  status: number;
  body: unknown;
  etag?: number;
  /** The answer is not stored: a repeat is 409 `idempotency.secret_not_repeatable`. */
  holdsSecret?: true;
  /** Part of the work failed. The answer is not stored, so that a repeat does the rest. */
  isUnfinished?: true;
};

/**
 * Does the work of a write request in one transaction and sends its answer.
 *
 * On POST the service honours an `Idempotency-Key`: the transaction of the work also stores the answer. So an answer
 * never exists without its work, and the same key never causes the work twice. A repeat during the first request is
 * refused instead of waiting. Answers 409 and 412 are stored too, in a transaction behind the one that rolls back their
 * work: a savepoint would cost each request that succeeds.
 */
export async function answerInTx(
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (tx: Tx, actor: Actor) => Promise<Answer>,
): Promise<void> {
  const actor = actorOf(request);
  const key = request.method === 'POST' ? keyOf(request) : undefined;
  if (key === undefined) {
    await sendAnswer(reply, await db.tx((tx) => work(tx, actor)));
    return;
  }
  const once = (make: (tx: Tx) => Promise<StoredAnswer>) =>
    db.tx((tx) => answerOnce(tx, actor, request, key, () => make(tx)));
  const answer = once((tx) => outcomeOf(() => work(tx, actor), reply));
  const keep = (refusal: StoredAnswer) => once(async () => refusal);
  await sendStored(reply, await answer.catch((error) => keep(refusalIn(error))));
}

/**
 * Notes in the transaction that a part of the work of a key is done, for `answerBesideTx`. The caller skips a part that
 * was done before, because its repeat would do harm.
 * @param key by default the request's `Idempotency-Key`
 * @returns whether this is the first time; always true without a key
 */
export async function isFirstTime(
  tx: Tx,
  actor: Actor,
  request: FastifyRequest,
  { part, key = keyOf(request) }: { part: string; key?: string | undefined },
): Promise<boolean> {
  if (key === undefined) return true;
  const route = `${request.routeOptions.url ?? ''} ${part}`;
  const noted = await tx.run(sql`
    insert into idempotent_answers
      (workspace_id, actor_id, method, route, key, request_hash, status, headers, body, created_at)
    values (${actor.workspaceId}, ${actor.keyId ?? actor.userId}, ${request.method}, ${route}, ${key},
      ${hashOfRequest(request)}, 200, '{}', '', ${tx.now})
    on conflict (workspace_id, actor_id, method, route, key) do nothing`);
  return noted > 0;
}

/** How long a transaction may idle while work runs beside it. Every such work ends well before. */
const besideSeconds = 120;

/**
 * Does the same for work of many transactions, each on its own connection. With a key, one more transaction surrounds
 * them and holds the key's lock and the answer.
 * - After a crash in the middle some work is committed without an answer, so repeating the work must be harmless.
 * - The caller limits how many run at once. Otherwise they could wait for connections that they hold themselves.
 */
export async function answerBesideTx(
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (actor: Actor) => Promise<Answer>,
): Promise<void> {
  const actor = actorOf(request);
  const key = keyOf(request);
  if (key === undefined) {
    await sendAnswer(reply, await work(actor));
    return;
  }
  // After a serialization conflict only the transaction runs again, never the work.
  let done: Promise<StoredAnswer> | undefined;
  const answer = await db.tx(async (tx) => {
    await tx.run(sql`select set_config('idle_in_transaction_session_timeout', ${`${besideSeconds}s`}, true)`);
    return answerOnce(tx, actor, request, key, () => {
      done ??= outcomeOf(() => work(actor), reply).catch(refusalIn);
      return done;
    });
  });
  await sendStored(reply, answer);
}

/** Awaits the sending: compression takes time, and Fastify sends a second answer when a handler ends before it. */
async function sendAnswer(reply: FastifyReply, { status, body, etag }: Answer): Promise<void> {
  await reply.code(status).headers(headersOf(etag)).send(body);
}

async function sendStored(reply: FastifyReply, { status, headers, body }: StoredAnswer): Promise<void> {
  await reply.code(status).headers(headers).type('application/json; charset=utf-8').send(body);
}

type StoredAnswer = Pick<Answer, 'status' | 'holdsSecret' | 'isUnfinished'> & {
  headers: Record<string, string>;
  body: string;
};

async function answerOnce(
  tx: Tx,
  actor: Actor,
  request: FastifyRequest,
  key: string,
  work: () => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  const route = request.routeOptions.url ?? '';
  // API keys of one member do not share idempotency keys.
  const actorId = actor.keyId ?? actor.userId;
  const owner = [actor.workspaceId, actorId, request.method, route, key];
  const [{ isFree }, before] = await together([
    tx.one<{ isFree: boolean }>(
      sql`select pg_try_advisory_xact_lock(hashtextextended(${owner.join('\n')}, 0)) as "isFree"`,
    ),
    tx.maybe<StoredAnswer & { requestHash: Buffer }>(sql`
      select status, headers, body, request_hash as "requestHash"
      from idempotent_answers
      where workspace_id = ${actor.workspaceId} and actor_id = ${actorId} and method = ${request.method}
        and route = ${route} and key = ${key} and created_at > ${tx.now}::timestamptz - interval '24 hours'`),
  ]);
  if (!isFree) throw new AppError('idempotency.in_progress', {}, { headers: { 'retry-after': '1' } });
  const requestHash = hashOfRequest(request);
  if (before !== undefined) {
    if (!before.requestHash.equals(requestHash)) throw new AppError('idempotency.key_reused');
    return { ...before, headers: { ...before.headers, 'idempotent-replayed': 'true' } };
  }
  const answer = await work();
  if (answer.isUnfinished) return answer;
  const kept = answer.holdsSecret ? refusalOf(new AppError('idempotency.secret_not_repeatable')) : answer;
  await tx.run(sql`
    insert into idempotent_answers
      (workspace_id, actor_id, method, route, key, request_hash, status, headers, body, created_at)
    values (${actor.workspaceId}, ${actorId}, ${request.method}, ${route}, ${key}, ${requestHash}, ${kept.status},
      ${JSON.stringify(kept.headers)}, ${kept.body}, ${tx.now})
    on conflict (workspace_id, actor_id, method, route, key) do update
    set request_hash = excluded.request_hash, status = excluded.status, headers = excluded.headers,
      body = excluded.body, created_at = excluded.created_at`);
  return answer;
}

/** A refusal by the work itself, which is stored. */
class Refused extends Error {
  readonly answer: StoredAnswer;

  constructor(error: AppError) {
    super(error.message);
    this.answer = refusalOf(error);
  }
}

async function outcomeOf(work: () => Promise<Answer>, reply: FastifyReply): Promise<StoredAnswer> {
  try {
    return stored(await work(), reply);
  } catch (error) {
    throw error instanceof AppError && (error.status === 409 || error.status === 412) ? new Refused(error) : error;
  }
}

/** Throws any other error. */
function refusalIn(error: unknown): StoredAnswer {
  if (error instanceof Refused) return error.answer;
  throw error;
}

function refusalOf({ status, headers, body }: AppError): StoredAnswer {
  return { status, headers, body: JSON.stringify(body) };
}

/** Serialises the answer by the route's response schema, which drops undeclared fields. */
function stored({ status, body, etag, ...flags }: Answer, reply: FastifyReply): StoredAnswer {
  reply.code(status);
  const text = String(reply.serialize(body));
  return { ...flags, status, headers: headersOf(etag), body: text };
}

function headersOf(etag: number | undefined): Record<string, string> {
  return etag === undefined ? {} : { etag: etagOf(etag) };
}

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw invalidRequest({ path: 'header.idempotency-key', key: 'not_printable', params: { limit: 255 } });
}

/**
 * Two requests are the same if path, query and body are equal after the border has normalised them. Differences that
 * the border ignores or folds do not count. The ids in the path count: the same key on another ticket is another
 * request. A password does not: it proves who asks, and a reader of the hash could guess it quickly.
 */
function hashOfRequest(request: FastifyRequest): Buffer {
  const { querystring, body } = request.routeOptions.schema ?? {};
  const meant = {
    params: request.params,
    query: querystring === undefined ? {} : request.query,
    body: body === undefined ? {} : request.body,
  };
  return createHash('sha256').update(canonicalJson(meant)).digest();
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (key, inner) =>
    key === 'password'
      ? undefined
      : typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
  );
}

/**
 * Takes the contents of the stored answers that name any of these ids, when their records are deleted for good. The
 * keys stay: a repeat of the request must not do its work again, such as sending a mail.
 */
export async function forgetAnswers(tx: Tx, workspaceId: WorkspaceId, ids: readonly string[]): Promise<void> {
  await forgetAnswersOf(
    tx,
    workspaceId,
    sql`exists (select from unnest(${ids}::text[]) id where position(id in body) > 0)`,
  );
}

/** @param which a condition on `idempotent_answers` */
export async function forgetAnswersOf(tx: Tx, workspaceId: WorkspaceId, which: Sql): Promise<void> {
  const { status, headers, body } = refusalOf(new AppError('idempotency.answer_deleted'));
  await tx.run(sql`
    update idempotent_answers
    set status = ${status}, headers = ${JSON.stringify(headers)}, body = ${body}
    where workspace_id = ${workspaceId} and ${which}`);
}

/** Deletes answers older than 24 hours. */
export const sweepIdempotentAnswers: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from idempotent_answers
    where (workspace_id, actor_id, method, route, key) in (
      select workspace_id, actor_id, method, route, key
      from idempotent_answers
      where created_at < ${tx.now}::timestamptz - interval '24 hours'
      limit ${rowsMax})`);

import type { Db, Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { ContactId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { DueRow, DueScope } from '../../ground/queue/due-work.ts';
import { erasedAddress } from '../contacts/erased-address.ts';
import { awaitContactsTurn } from '../contacts/rename.ts';
import { contactSearchVector } from '../contacts/search-words.ts';
import { ticketIdsOf } from '../people/contact-tickets.ts';
import { eraseMentions, eraseRest } from './erase-rest.ts';
import { type Erased, eraseFromTicket } from './erase-tickets.ts';
import { hashOfAddress, type Person, searchableNames } from './person.ts';
import { eraseFrom, scrubbedTables } from './scrub-table.ts';

type ErasureKey = { workspaceId: WorkspaceId; id: string };

/** The phases that search many rows, in steps, from phase 2 on. */
const searches: readonly Search[] = [eraseMentions, ...scrubbedTables.map(eraseFrom)];

/** The order of the work: find the person in a restored copy, their tickets, then the searches, and last all else. */
const phases = { find: 0, tickets: 1, searches: 2 } as const;

type Work = Person & {
  contactId: ContactId;
  addressHashes: string[];
  requestedAt: string;
  phase: number;
  lastId: string | null;
};

/** Erasures that are not finished. */
export function listUnfinished(db: Queryable, { within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  return db.rows<DueRow>(sql`
    select e.workspace_id as "workspaceId", e.id
    from erasures e
    where e.finished_at is null ${within(sql`e.workspace_id`)} ${except(sql`e.id`)}
    order by e.requested_at
    limit ${rowsMax}`);
}

/**
 * Works on an erasure until it is finished. Each step is a transaction that also notes the progress of the work. After
 * an interruption, the next attempt goes on from there.
 */
export async function erasePerson(
  { db, authSecret }: { db: Pick<Db, 'tx'>; authSecret: Uint8Array },
  key: ErasureKey,
): Promise<void> {
  while (await db.tx((tx) => eraseStep(tx, key, authSecret)));
}

/** @returns whether more remains */
async function eraseStep(tx: Tx, key: ErasureKey, authSecret: Uint8Array): Promise<boolean> {
  const { workspaceId, id } = key;
  const work = await tx.maybe<Work>(sql`
    select contact_id as "contactId", address_hashes as "addressHashes", requested_at as "requestedAt",
      phase, last_id as "lastId",
      contact_ids as "contactIds", addresses, names
    from erasures
    where workspace_id = ${workspaceId} and id = ${id} and finished_at is null
    for update skip locked`);
  if (work === undefined) return false;
  const search = searches[work.phase - phases.searches];
  if (work.phase === phases.find) await findAgain(tx, key, work, authSecret);
  else if (work.phase === phases.tickets) await eraseNextTicket(tx, key, work);
  else if (search !== undefined) await searchNext(tx, key, work, search);
  else {
    if (work.addresses.length > 0) await eraseRest(tx, workspaceId, work);
    await finish(tx, key);
    return false;
  }
  return true;
}

type Search = (
  tx: Tx,
  workspaceId: WorkspaceId,
  from: { person: Person; after: string | null },
) => Promise<string | undefined>;

/** Searches the next rows of a phase. After the last ones the next phase begins. */
async function searchNext(tx: Tx, key: ErasureKey, work: Work, search: Search): Promise<void> {
  const from = { person: work, after: work.lastId };
  const last = work.addresses.length === 0 ? undefined : await search(tx, key.workspaceId, from);
  await noteProgress(tx, key, last === undefined ? { phase: work.phase + 1, lastId: null } : { lastId: last });
}

async function eraseNextTicket(tx: Tx, key: ErasureKey, work: Work): Promise<void> {
  const { workspaceId } = key;
  const next = await tx.maybe<{ id: TicketId }>(sql`
    select id from (${ticketIdsOf(workspaceId, work.contactIds)}) theirs
    where ${work.lastId}::uuid is null or id > ${work.lastId}::uuid
    order by id
    limit 1`);
  if (next === undefined) return noteProgress(tx, key, { phase: phases.searches, lastId: null });
  const erased = await eraseFromTicket(tx, workspaceId, { person: work, ticketId: next.id, erasureId: key.id });
  await noteProgress(tx, key, { lastId: next.id, erased });
}

async function noteProgress(
  tx: Tx,
  { workspaceId, id }: ErasureKey,
  { phase, lastId, erased }: { phase?: number; lastId: string | null; erased?: Erased },
): Promise<void> {
  const { deleted, kept, messages } = erased ?? { deleted: 0, kept: 0, messages: 0 };
  await tx.run(sql`
    update erasures
    set phase = coalesce(${phase ?? null}::smallint, phase), last_id = ${lastId}::uuid,
      tickets_deleted = tickets_deleted + ${deleted}, tickets_kept = tickets_kept + ${kept},
      messages_erased = messages_erased + ${messages}
    where workspace_id = ${workspaceId} and id = ${id}`);
}

async function finish(tx: Tx, { workspaceId, id }: ErasureKey): Promise<void> {
  await tx.run(sql`
    update erasures
    set finished_at = ${tx.now}, last_id = null, contact_ids = '{}', addresses = '{}', names = '{}'
    where workspace_id = ${workspaceId} and id = ${id}`);
}

/** In a restored copy, finds the contacts whose addresses have the hashes, and turns them into stubs. */
async function findAgain(tx: Tx, key: ErasureKey, work: Work, authSecret: Uint8Array): Promise<void> {
  const { workspaceId } = key;
  await awaitContactsTurn(tx, workspaceId);
  const hashes = new Set(work.addressHashes);
  const all = await tx.rows<{ id: ContactId; email: string; intoId: ContactId | null }>(sql`
    select id, email, merged_into_id as "intoId" from contacts
    where workspace_id = ${workspaceId} and erased_at is null`);
  const named = all.filter(
    ({ id, intoId, email }) =>
      id === work.contactId || intoId === work.contactId || hashes.has(hashOfAddress(authSecret, workspaceId, email)),
  );
  const person = await makeStubs(
    tx,
    workspaceId,
    named.map(({ id }) => id),
  );
  await keepPerson(tx, key, person);
}

export async function keepPerson(tx: Tx, { workspaceId, id }: ErasureKey, person: Person): Promise<void> {
  await tx.run(sql`
    update erasures
    set phase = ${phases.tickets}, contact_ids = ${person.contactIds}::uuid[], addresses = ${person.addresses}::text[],
      names = ${person.names}::text[]
    where workspace_id = ${workspaceId} and id = ${id}`);
}

/** Turns contacts into stubs, so that mail from their addresses makes new ones from now on. */
export async function makeStubs(tx: Tx, workspaceId: WorkspaceId, contactIds: readonly ContactId[]): Promise<Person> {
  const rows = await tx.rows<{ id: ContactId; email: string; name: string | null; claim: string | null }>(sql`
    select id, email, name, name_claim as claim from contacts
    where workspace_id = ${workspaceId} and id = any(${contactIds}::uuid[])
    for no key update`);
  const written = await tx.rows<{ name: string | null }>(sql`
    select distinct m.author_name as name
    from messages m
    where m.workspace_id = ${workspaceId} and m.author_contact_id = any(${contactIds}::uuid[])
      and m.ticket_id in (${ticketIdsOf(workspaceId, contactIds)})
    limit 100`);
  const names = [...rows.flatMap(({ name, claim }) => [name, claim]), ...written.map(({ name }) => name)];
  for (const { id } of rows) {
    const email = erasedAddress(id);
    await tx.run(sql`
      update contacts
      set email = ${email}, email_key = ${email}, name = null, name_claim = null, shows_remote_images = false,
        erased_at = ${tx.now}, search = ${contactSearchVector(workspaceId, { email, name: null })}::tsvector
      where workspace_id = ${workspaceId} and id = ${id}`);
  }
  return {
    contactIds: rows.map(({ id }) => id),
    addresses: rows.map(({ email }) => email),
    names: searchableNames(names),
  };
}

import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { noteStorage } from '../../helpdesk/files/storage-quota.ts';
import { bytesOf } from '../../helpdesk/messages/insert-message.ts';
import { takeTicketNumber } from '../../helpdesk/tickets/rows.ts';
import { type Imported, noteImported } from './imported-records.ts';
import { RefusedRecord } from './problems.ts';
import type { ReadTicket } from './read-export.ts';
import {
  writeEvents,
  writeLinks,
  writeMessages,
  writeNamedMailIds,
  writePeople,
  writeSummary,
  writeThreadTokens,
  writeTicket,
} from './ticket-rows.ts';

export type LoadTicket = {
  workspaceId: WorkspaceId;
  /** The note of an earlier import that took the ticket. */
  imported: Imported | undefined;
  /** Whether the ticket gets the next number of the workspace instead of its own. */
  getsNewNumber: boolean;
  /** Contacts of persons who were erased here, and not where the export comes from. */
  erased: ReadonlySet<string>;
};

export type TicketOutcome =
  | 'new'
  | 'updated'
  /** People have worked on the ticket since its import, so it only got the messages that it did not have. */
  | 'extended'
  /** The ticket was deleted here. */
  | 'deleted';

/**
 * Writes a ticket with all that belongs to it, as one transaction. It notifies nobody, and sends nothing.
 * Throws a `RefusedRecord` if an id or the number is taken by something that no import brought, or a person was erased.
 */
export async function loadTicket(tx: Tx, read: ReadTicket, options: LoadTicket): Promise<TicketOutcome> {
  const { workspaceId, imported } = options;
  const ticketId = read.ticket.id as TicketId;
  const here = await lockTicket(tx, workspaceId, ticketId);
  if (imported !== undefined && here === undefined) return 'deleted';
  if (imported === undefined && here !== undefined)
    throw new RefusedRecord('a ticket with this id is here already, and came from no import');
  refuseErased(read, options.erased);
  if (here !== undefined && here.version !== imported?.version) return extendTicket(tx, read, options);
  const former = await checkMessages(tx, workspaceId, read);
  // Another import of this run may work on them: their messages are counted after it has committed.
  await tx.run(sql`
    select from tickets
    where workspace_id = ${workspaceId} and id = any(${[...former.moved]}::uuid[])
    order by id
    for update`);
  const number = here?.number ?? (await numberFor(tx, read, options));
  const { version = 1 } = read.ticket;
  const place = { workspaceId, ticketId };
  const messages = read.messages.filter(({ content }) => !former.kept.has(content.id)).map(({ content }) => content);
  await together([
    writeTicket(tx, workspaceId, read.ticket, { number, version }),
    writeMessages(tx, place, messages),
    writeRest(tx, read, workspaceId),
    writeLinks(tx, place, read.ticket),
  ]);
  await writeSummary(tx, place, read.ticket);
  for (const moved of former.moved) await writeSummary(tx, { workspaceId, ticketId: moved });
  await finish(tx, read, options, { version, bytes: bytesOfNew(read, former.known) });
  return here === undefined ? 'new' : 'updated';
}

/** An import must not bring back the data of an erased person. */
function refuseErased({ ticket, messages }: ReadTicket, erased: ReadonlySet<string>): void {
  const isErased = (id: string | null | undefined) => id != null && erased.has(id);
  if (isErased(ticket.requesterId) || messages.some(({ content }) => isErased(content.authorContactId)))
    throw new RefusedRecord('the ticket is of a person who was erased here');
}

/** Adds only messages and events that the ticket does not have. */
async function extendTicket(tx: Tx, read: ReadTicket, options: LoadTicket): Promise<TicketOutcome> {
  const { workspaceId, imported } = options;
  const ticketId = read.ticket.id as TicketId;
  const { known } = await checkMessages(tx, workspaceId, read);
  const messages = read.messages.filter(({ content }) => !known.has(content.id)).map(({ content }) => content);
  const { mergedIntoId } = await tx.one<{ mergedIntoId: TicketId | null }>(sql`
    select merged_into_id as "mergedIntoId" from tickets where workspace_id = ${workspaceId} and id = ${ticketId}`);
  const place = { workspaceId, ticketId: mergedIntoId ?? ticketId };
  await together([writeMessages(tx, place, messages), writeRest(tx, read, workspaceId)]);
  if (messages.length > 0) {
    await tx.run(sql`
      update tickets set version = version + 1, updated_at = ${tx.now}
      where workspace_id = ${workspaceId} and id = ${place.ticketId}`);
    await writeSummary(tx, place);
  }
  await finish(tx, read, options, { version: imported?.version ?? 0, bytes: bytesOfNew(read, known) });
  return 'extended';
}

async function writeRest(tx: Tx, { ticket, events }: ReadTicket, workspaceId: WorkspaceId): Promise<void> {
  const place = { workspaceId, ticketId: ticket.id as TicketId };
  await together([
    writeNamedMailIds(tx, place, ticket.namedMailIds ?? []),
    writeThreadTokens(tx, place, ticket.threadTokens ?? []),
    writePeople(tx, place, ticket),
    writeEvents(
      tx,
      place,
      events.map(({ content }) => content),
    ),
  ]);
}

async function finish(
  tx: Tx,
  { ticket, hash }: ReadTicket,
  { workspaceId }: LoadTicket,
  { version, bytes }: { version: number; bytes: number },
): Promise<void> {
  await noteImported(tx, workspaceId, 'ticket', [{ id: ticket.id, hereId: ticket.id, hash, version }]);
  await noteStorage(tx, workspaceId, bytes);
}

function lockTicket(
  tx: Tx,
  workspaceId: WorkspaceId,
  ticketId: TicketId,
): Promise<{ version: number; number: number } | undefined> {
  return tx.maybe<{ version: number; number: number }>(sql`
    select version, ticket_number as number
    from tickets
    where workspace_id = ${workspaceId} and id = ${ticketId}
    for update`);
}

async function numberFor(tx: Tx, { ticket }: ReadTicket, { workspaceId, getsNewNumber }: LoadTicket): Promise<number> {
  if (getsNewNumber) return takeTicketNumber(tx, workspaceId);
  const taken = await tx.maybe(sql`
    select from tickets where workspace_id = ${workspaceId} and ticket_number = ${ticket.number}`);
  if (taken === undefined) return ticket.number;
  throw new RefusedRecord(`another ticket has the number ${ticket.number}: import with --new-numbers`);
}

type Former = {
  /** Messages of this import that are here already. */
  known: ReadonlySet<string>;
  /** The known messages that stay in another ticket, because people have worked on that ticket. */
  kept: ReadonlySet<string>;
  /** Tickets from which the other known messages move to this ticket. */
  moved: ReadonlySet<TicketId>;
};

/** Finds the messages that are here. Throws a `RefusedRecord` if a message is in a ticket that no import brought. */
async function checkMessages(tx: Tx, workspaceId: WorkspaceId, { ticket, messages }: ReadTicket): Promise<Former> {
  const ids = messages.map(({ content }) => content.id);
  const twice = messages.find(({ content }, at) => ids.indexOf(content.id) !== at);
  if (twice !== undefined) throw new RefusedRecord('the ticket has this message already', twice.line);
  const found = await tx.rows<{ id: string; ticketId: TicketId; isImported: boolean; isTouched: boolean }>(sql`
    select m.id, m.ticket_id as "ticketId", r.id is not null as "isImported",
      r.version is distinct from t.version as "isTouched"
    from messages m
    join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    left join imported_records r on r.workspace_id = ${workspaceId} and r.kind = 'ticket' and r.id = t.id
    where m.workspace_id = ${workspaceId} and m.id = any(${ids}::uuid[])`);
  const elsewhere = found.filter(({ ticketId }) => ticketId !== ticket.id);
  const foreign = elsewhere.find(({ isImported }) => !isImported);
  if (foreign !== undefined)
    throw new RefusedRecord(
      'a message with this id is here already, in a ticket that came from no import',
      messages.find(({ content }) => content.id === foreign.id)?.line,
    );
  return {
    known: new Set(found.map(({ id }) => id)),
    kept: new Set(elsewhere.filter(({ isTouched }) => isTouched).map(({ id }) => id)),
    moved: new Set(elsewhere.filter(({ isTouched }) => !isTouched).map(({ ticketId }) => ticketId)),
  };
}

/** As the storage quota counts: the files and texts of a mail are part of the mail. */
function bytesOfNew({ messages }: ReadTicket, known: ReadonlySet<string>): number {
  return messages
    .filter(({ content }) => !known.has(content.id))
    .reduce((sum, { content }) => {
      const { mails = [], attachments = [] } = content;
      const sizes = mails.length > 0 ? mails : attachments;
      const bytes = sizes.reduce((all, { sizeBytes }) => all + sizeBytes, 0);
      return sum + bytes + (mails.length > 0 ? 0 : bytesOf(content));
    }, 0);
}

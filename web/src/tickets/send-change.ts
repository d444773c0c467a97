import { queryClient } from '../api/cache.ts';
import { ApiError, inWorkspace, type Ticket } from '../api/client.ts';
import type { operations } from '../api/schema.d.ts';
import { showToast } from '../ui/toast.ts';
import { errorWords, words } from '../words/words.ts';
import { refreshAskedLists } from './list-places.ts';
import { ticketEventsQuery } from './queries.ts';
import { dropChange, dropRows, receiveAnswer, receiveRows, rowIn, rowsOf, settleChange, ticketKey } from './rows.ts';
import { changedFields, type FieldChange, type TicketChange } from './ticket-change.ts';
import { forgetDone } from './undo.ts';

/** A ticket to change. `before` has the values of the fields in question when the person saw them. */
type Target = { id: string; ticketNumber: number; version: number; before: Partial<Ticket> };
export type TicketWrite = { workspaceId: string; targets: readonly Target[]; change: TicketChange };
/** A ticket that did not change, and the reason with the number of the ticket that it speaks of. */
export type Refusal = { id: string; ticketNumber: number; reason: string };

/**
 * Sends a change.
 * @returns the refused tickets of a partly successful change.
 * @throws where the whole change is refused
 */
export async function sendChange(write: TicketWrite, key: string): Promise<Refusal[]> {
  const { workspaceId, targets, change } = write;
  const refusals =
    change.kind === 'fields' && (targets.length > 1 || !isOfOneRoute(change.fields))
      ? await sendMany(write, change.fields, key)
      : await sendEach(write, key);
  for (const { ticketNumber } of targets)
    void queryClient.invalidateQueries({ queryKey: [...ticketKey(workspaceId, ticketNumber), 'events'] });
  refreshAskedLists(workspaceId);
  return refusals;
}

const atOnceMax = 500;

async function sendMany({ workspaceId, targets, change }: TicketWrite, fields: FieldChange, key: string) {
  const refusals: Refusal[] = [];
  for (let from = 0; from < targets.length; from += atOnceMax) {
    const some = targets.slice(from, from + atOnceMax);
    const body = { ids: some.map(({ id }) => id), ...fields };
    const results = await changeByIds(workspaceId, body, `${key}-${from}`);
    const refused = new Map(results.flatMap(({ id, error }) => (error === undefined ? [] : [[id, error]])));
    const taken = new Map(
      results.flatMap(({ id, error, version = 0 }) => (error === undefined ? [[id, version]] : [])),
    );
    settleChange(workspaceId, taken, { key, change });
    dropChange(workspaceId, [...refused.keys()], key);
    for (const { id, ticketNumber } of some) {
      const error = refused.get(id);
      if (error !== undefined) refusals.push({ id, ticketNumber, reason: errorWords(error) });
    }
  }
  return refusals;
}

type Bulk = operations['changeTickets'];
type Results = Bulk['responses']['200']['content']['application/json']['results'];

/** Changes some tickets at once. @returns the result for each */
export async function changeByIds(
  workspaceId: string,
  body: NonNullable<Bulk['requestBody']>['content']['application/json'] & { ids: string[] },
  key: string,
): Promise<Results> {
  const answer = await inWorkspace(workspaceId).POST('/tickets/bulk', { header: { 'idempotency-key': key }, body });
  // Only a change by query is answered otherwise.
  return (answer as { results: Results }).results;
}

/** Sends one request for each ticket, in turn. If only one is to change, its refusal is that of the whole change. */
async function sendEach(write: TicketWrite, key: string): Promise<Refusal[]> {
  const { workspaceId, targets, change } = write;
  const refusals: Refusal[] = [];
  for (const target of targets) {
    const { id } = target;
    try {
      if (await sendOne(workspaceId, target, change, key)) forgetDone(key);
    } catch (error) {
      if (targets.length === 1 || !isRefusal(error)) throw error;
      dropChange(workspaceId, [id], key);
      refusals.push({ id, ticketNumber: numberRefused(write, target, error), reason: error.message });
    }
  }
  return refusals;
}

/** The number of the ticket of which a refusal speaks: of a merge, that may be the one that stays. */
export function numberRefused({ workspaceId, change }: TicketWrite, { ticketNumber }: Target, error: Error): number {
  const isOfKept =
    change.kind === 'merge' && error instanceof ApiError && error.params.targetTicketId === change.targetId;
  return (isOfKept ? rowsOf(workspaceId).get(change.targetId)?.told.ticketNumber : undefined) ?? ticketNumber;
}

/** Whether another attempt would be refused as well. */
function isRefusal(error: unknown): error is Error {
  if (error instanceof ApiError)
    return error.status < 500 && ![401, 429].includes(error.status) && error.key !== 'idempotency.in_progress';
  return error instanceof ChangedMeanwhile;
}

const rereadsMax = 3;

/** @returns whether the person does not see the ticket any more, so that nothing can be undone */
async function sendOne(workspaceId: string, target: Target, change: TicketChange, key: string): Promise<boolean> {
  for (let reread = 0; ; reread += 1) {
    const version = rowsOf(workspaceId).get(target.id)?.told.version ?? target.version;
    try {
      // A new idempotency key for each version: the service compares only bodies, and would repeat the old answer.
      const conditions = { key: `${key}-${target.id}-${reread}`, version };
      const isHidden = await request(workspaceId, target.id, change, conditions);
      settleChange(workspaceId, new Map([[target.id, version]]), { key, change });
      return isHidden;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412 || reread === rereadsMax) throw error;
      if (await isDoneBy(workspaceId, target, change)) {
        dropChange(workspaceId, [target.id], key);
        return false;
      }
    }
  }
}

/**
 * Reads a ticket again that has changed meanwhile.
 * @returns whether it has the wanted values already. @throws where another person has set the same fields to other
 * values
 */
async function isDoneBy(
  workspaceId: string,
  { id, ticketNumber, before }: Target,
  change: TicketChange,
): Promise<boolean> {
  const told = rowIn(
    await inWorkspace(workspaceId).GET('/tickets/{ticketId}', { path: { ticketId: id }, query: { trash: true } }),
  );
  receiveRows(workspaceId, [told]);
  const wanted = changedFields(told, change, new Date());
  if (hasFields(told, wanted)) return true;
  if (hasFields(told, before)) return false;
  const events = await queryClient.fetchQuery({
    ...ticketEventsQuery(workspaceId, { id, ticketNumber }),
    staleTime: 0,
  });
  const who = events.at(-1)?.actor.name ?? words('change.somebody');
  throw new ChangedMeanwhile(words('change.meanwhile', { person: who, number: ticketNumber }));
}

/** Another person has changed the same fields, so the change was not made. */
class ChangedMeanwhile extends Error {}

function hasFields(row: Ticket, fields: Partial<Ticket>): boolean {
  return Object.entries(fields).every(
    ([name, value]) => JSON.stringify(row[name as keyof Ticket]) === JSON.stringify(value),
  );
}

/**
 * Whether a single-ticket route can make the change. Tags, trash, spam and fields of several routes go by the bulk
 * route.
 */
function isOfOneRoute({ status, archive, trash, spam, addTags, removeTags, ...fields }: FieldChange): boolean {
  if (trash !== undefined || spam !== undefined || addTags !== undefined || removeTags !== undefined) return false;
  const parts = [status !== undefined, archive !== undefined, Object.keys(fields).length > 0];
  return parts.filter(Boolean).length === 1;
}

type Conditions = { key: string; version: number };

async function request(
  workspaceId: string,
  ticketId: string,
  change: TicketChange,
  { key, version }: Conditions,
): Promise<boolean> {
  const header = { 'if-match': `"${version}"` };
  const path = { ticketId };
  const repeatable = { path, header: { ...header, 'idempotency-key': key } };
  if (change.kind !== 'fields') {
    await mergeOrUnmerge(workspaceId, ticketId, change, repeatable.header);
    return false;
  }
  const { status, archive, trash: _, spam: __, addTags, removeTags, ...fields } = change.fields;
  const here = inWorkspace(workspaceId);
  const ticket = await (status !== undefined
    ? here.POST('/tickets/{ticketId}/status', { ...repeatable, body: { toStatus: status } })
    : archive === true
      ? here.POST('/tickets/{ticketId}/archive', repeatable)
      : archive === false
        ? here.POST('/tickets/{ticketId}/unarchive', repeatable)
        : here.PATCH('/tickets/{ticketId}', { path, header, body: fields }));
  const isHidden = 'isHidden' in ticket && ticket.isHidden === true;
  if (isHidden) leaveSight(workspaceId, ticket);
  else receiveAnswer(workspaceId, [ticket]);
  return isHidden;
}

/** The change gave the ticket to a team that hides it from the person. */
function leaveSight(workspaceId: string, { id, ticketNumber }: Ticket): void {
  dropRows(workspaceId, [id]);
  showToast(words('change.outOfSight', { number: ticketNumber }), { stays: true });
  void queryClient.invalidateQueries({ queryKey: ticketKey(workspaceId, ticketNumber) });
}

async function mergeOrUnmerge(
  workspaceId: string,
  sourceTicketId: string,
  change: Exclude<TicketChange, { kind: 'fields' }>,
  header: { 'idempotency-key': string },
) {
  const path = { sourceTicketId };
  if (change.kind === 'merge') {
    const body = { targetTicketId: change.targetId };
    const { ticket } = await inWorkspace(workspaceId).POST('/tickets/{sourceTicketId}/merge', { path, header, body });
    receiveAnswer(workspaceId, [ticket]);
  } else {
    const unmerged = await inWorkspace(workspaceId).POST('/tickets/{sourceTicketId}/unmerge', { path, header });
    const { ticket, target } = unmerged;
    receiveAnswer(workspaceId, [ticket, target]);
  }
  // Messages have moved between the two tickets.
  void queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'ticket'] });
}

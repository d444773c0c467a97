import type { Ticket } from '../api/client.ts';
import { caseKey } from './filters.ts';

/** A change of fields, in the shape of the API's bulk change. */
export type FieldChange = {
  status?: Ticket['status'];
  assigneeId?: string | null;
  mailboxId?: string | null;
  teamId?: string | null;
  priority?: string;
  subject?: string;
  addTags?: string[];
  removeTags?: string[];
  snoozedUntil?: string | null;
  archive?: boolean;
  trash?: boolean;
  spam?: boolean;
};

export type TicketChange =
  | { kind: 'fields'; fields: FieldChange }
  | { kind: 'merge'; targetId: string }
  | { kind: 'unmerge'; before: Partial<Ticket> };

/** The fields of a row that a change sets, with their new values. */
export function changedFields(row: Ticket, change: TicketChange, now: Date): Partial<Ticket> {
  if (change.kind === 'merge') return { status: 'closed', snoozedUntil: null, mergedIntoId: change.targetId };
  if (change.kind === 'unmerge') return { ...change.before, mergedIntoId: null };
  const { archive, trash, spam, addTags = [], removeTags = [], ...fields } = change.fields;
  const changed: Partial<Ticket> = { ...fields };
  if (archive !== undefined || trash !== undefined || spam !== undefined)
    Object.assign(changed, moved(row, { archive, trash, spam }, now.toISOString()));
  if (addTags.length > 0 || removeTags.length > 0) changed.tags = withTags(row.tags, addTags, removeTags);
  return changed;
}

type Place = Pick<Ticket, 'archivedAt' | 'trashedAt' | 'spamAt' | 'spamReason'>;
type Move = Record<'archive' | 'trash' | 'spam', boolean | undefined>;

/** Like the service: a ticket leaves the trash and spam first, and enters them last. */
function moved(row: Place, { archive, trash, spam }: Move, now: string): Place {
  const { archivedAt, ...out } = placed(
    row,
    trash === false ? null : row.trashedAt,
    spam === false ? null : row.spamAt,
  );
  const archived = { ...out, archivedAt: archive === false ? null : (archivedAt ?? (archive === true ? now : null)) };
  return placed(archived, out.trashedAt ?? (trash === true ? now : null), out.spamAt ?? (spam === true ? now : null));
}

/** There a ticket is archived as well, from the same moment unless it was archived before. */
function placed({ spamReason, ...before }: Place, trashedAt: string | null, spamAt: string | null): Place {
  const isArchivedSo = before.archivedAt === before.trashedAt || before.archivedAt === before.spamAt;
  const hiddenAt = spamAt ?? trashedAt;
  return {
    trashedAt,
    spamAt,
    spamReason: spamAt === null ? null : (spamReason ?? 'marked'),
    archivedAt: hiddenAt === null && isArchivedSo ? null : (before.archivedAt ?? hiddenAt),
  };
}

export function withTags(tags: readonly string[], added: readonly string[], removed: readonly string[]): string[] {
  const gone = new Set(removed.map(caseKey));
  const kept = tags.filter((tag) => !gone.has(caseKey(tag)));
  const keys = new Set(kept.map(caseKey));
  return [...kept, ...added.filter((tag) => !keys.has(caseKey(tag)))];
}

/** The change that undoes a change of this row; undefined where there is nothing to undo. */
export function inverseOf(row: Ticket, change: TicketChange, now: Date): TicketChange | undefined {
  const { status, snoozedUntil } = row;
  if (change.kind === 'merge') return { kind: 'unmerge', before: { status, snoozedUntil } };
  if (change.kind === 'unmerge') return undefined;
  const { archive, trash, spam, addTags = [], removeTags = [], ...wanted } = change.fields;
  const fields: FieldChange = Object.fromEntries(
    Object.entries(wanted)
      .map(([name]) => [name, row[name as keyof typeof wanted]] as const)
      .filter(([name, before]) => wanted[name as keyof typeof wanted] !== before),
  );
  // The service refuses a snooze time in the past. The ticket was awake already, so undo ends the snooze.
  if (fields.snoozedUntil != null && new Date(fields.snoozedUntil) <= now) fields.snoozedUntil = null;
  if (archive !== undefined && archive !== (row.archivedAt !== null)) fields.archive = !archive;
  if (trash !== undefined && trash !== (row.trashedAt !== null)) fields.trash = !trash;
  if (spam !== undefined && spam !== (row.spamAt !== null)) fields.spam = !spam;
  const keys = new Map(row.tags.map((tag) => [caseKey(tag), tag]));
  const added = addTags.filter((tag) => !keys.has(caseKey(tag)));
  const removed = removeTags.flatMap((tag) => keys.get(caseKey(tag)) ?? []);
  if (added.length > 0) fields.removeTags = added;
  if (removed.length > 0) fields.addTags = removed;
  return Object.keys(fields).length === 0 ? undefined : { kind: 'fields', fields };
}

import type { TicketEvent } from '../api/client.ts';
import { fullTime } from '../lib/dates.ts';
import { priorityWords } from '../tickets/priority-words.ts';
import { type WordKey, words } from '../words/words.ts';

type NameOf = (userId: string) => string | undefined;

/** The names that events leave out, by id; undefined for what is gone. */
export type EventNames = { member: NameOf; team: NameOf; rule: NameOf };

/** An event as the end of a sentence that begins with the actor: "closed the ticket". */
function eventWords({ type, data, otherNumber, actor, cause }: TicketEvent, names: EventNames): string {
  const details = data as Record<string, unknown>;
  const text = (name: string) => String(details[name] ?? '');
  switch (type) {
    case 'ticket.status_changed':
      return words(statusWords[text('to')] ?? 'event.status', { to: text('to') });
    case 'ticket.assigned':
      if (details.to === null) return words('event.unassigned');
      if (details.to === actor.userId) return words('event.took');
      return words('event.assigned', { person: names.member(text('to')) ?? words('event.formerMember') });
    case 'ticket.team_changed':
      if (details.to === null) return words('event.noTeam');
      return words('event.team', { team: names.team(text('to')) ?? words('chip.otherTeam') });
    case 'ticket.priority_changed':
      return words('event.priority', { to: priorityWords(text('to')) });
    case 'ticket.tagged':
      return taggedWords(details.added, details.removed);
    case 'ticket.subject_changed':
      return words('event.subject', { to: text('to') });
    case 'ticket.snoozed':
      return words('event.snoozed', { until: fullTime(text('until')) });
    case 'ticket.woken':
      // The cause says it at the end of the line.
      return words(details.by === 'reply' && cause === undefined ? 'event.wokenByReply' : 'event.woken');
    case 'survey.answered':
      return words('event.rated', { score: text('score'), best: bestOf[text('scale')] ?? '' });
    case 'ticket.spam_changed':
      return words(spamWords(details));
    default:
      return words((otherNumber !== undefined && withOther[type]) || plainWords[type] || 'event.changed', {
        number: otherNumber ?? 0,
      });
  }
}

function spamWords({ isSpam, reason }: Record<string, unknown>): WordKey {
  if (isSpam !== true) return 'event.notSpam';
  return reason === 'marked' ? 'event.spam' : 'event.blocked';
}

/** The best score of each scale. */
const bestOf: Record<string, string> = { two: '2', three: '3', five: '5' };

const statusWords: Record<string, WordKey> = {
  open: 'event.opened',
  pending: 'event.pended',
  closed: 'event.closed',
};

const plainWords: Record<string, WordKey> = {
  'ticket.requester_changed': 'event.requester',
  'ticket.mailbox_changed': 'event.mailbox',
  'ticket.archived': 'event.archived',
  'ticket.unarchived': 'event.unarchived',
  'ticket.trashed': 'event.trashed',
  'ticket.restored': 'event.restored',
  'ticket.merged': 'event.merged',
  'ticket.merged_from': 'event.mergedFrom',
  'ticket.unmerged': 'event.unmerged',
  'ticket.unmerged_from': 'event.unmerged',
  'ticket.split': 'event.split',
  'ticket.split_from': 'event.splitFrom',
  'message.delivery_handled': 'event.handled',
  'message.redacted': 'event.redacted',
  'ticket.notified': 'event.notified',
};

/** What involves another ticket, where its number is known. */
const withOther: Record<string, WordKey> = {
  'ticket.merged': 'event.mergedOf',
  'ticket.merged_from': 'event.mergedFromOf',
  'ticket.unmerged': 'event.unmergedOf',
  'ticket.unmerged_from': 'event.unmergedOf',
  'ticket.split': 'event.splitOf',
  'ticket.split_from': 'event.splitFromOf',
};

function taggedWords(added: unknown, removed: unknown): string {
  const [isNew, isGone] = [added, removed].map((tags) => (Array.isArray(tags) ? tags : [])) as [unknown[], unknown[]];
  if (isGone.length === 0) return words('event.tagged', { tags: isNew.join(', '), count: isNew.length });
  if (isNew.length === 0) return words('event.untagged', { tags: isGone.join(', '), count: isGone.length });
  return words('event.retagged', { added: isNew.join(', '), removed: isGone.join(', ') });
}

/**
 * One line for the changes that an actor made together. Changes with the same words appear once, and so does a detour.
 */
export function eventsLine(events: readonly [TicketEvent, ...TicketEvent[]], names: EventNames): string {
  const [{ actor, cause }] = events;
  const person =
    actor.name ?? (actor.userId === null ? undefined : names.member(actor.userId)) ?? words(`event.by.${actor.type}`);
  const done = [...new Set(events.map((event) => eventWords(event, names)))];
  const closed = done.indexOf(words('event.closed'));
  const reopened = done.indexOf(words('event.opened'));
  if (closed !== -1 && reopened > closed) {
    done[closed] = words('event.closedAndReopened');
    done.splice(reopened, 1);
  }
  const line = { person, what: done.join(', ') };
  const why = cause && causeWords(cause, names);
  return why === undefined ? words('event.line', line) : words('event.lineWithCause', { ...line, why });
}

type Cause = NonNullable<TicketEvent['cause']>;

/** What led to the changes, where neither their own words nor their time tell it. */
function causeWords({ kind, id }: Cause, names: EventNames): string | undefined {
  if (kind === 'departure')
    return words('event.because.departure', { person: names.member(id ?? '') ?? words('event.formerMember') });
  if (kind === 'rule') {
    const rule = names.rule(id ?? '');
    return rule === undefined ? words('event.because.formerRule') : words('event.because.rule', { rule });
  }
  const key = plainCauses[kind];
  return key && words(key);
}

/** Kinds of causes that later releases add have no words. */
const plainCauses: Partial<Record<Cause['kind'], WordKey>> = {
  bulk_change: 'event.because.bulkChange',
  bulk_undo: 'event.because.bulkUndo',
  saved_reply: 'event.because.savedReply',
  mail: 'event.because.mail',
  mailbox: 'event.because.mailbox',
  delivery: 'event.because.delivery',
  import: 'event.because.import',
  erasure: 'event.because.erasure',
  auto_reply: 'event.because.autoReply',
  survey: 'event.because.survey',
};

import type { Events, TicketEventType } from '../../../ground/catalog/events.ts';
import { caseKey } from '../../../ground/lib/text.ts';
import { rankOfPriority } from '../../../helpdesk/tickets/priority.ts';

/** Columns of `tickets` that a condition reads and that change. */
export type StateColumn =
  | 'status'
  | 'priority'
  | 'assignee_id'
  | 'team_id'
  | 'mailbox_id'
  | 'tags'
  | 'archived_at'
  | 'spam_at'
  | 'trashed_at'
  | 'merged_into_id'
  | 'snoozed_until'
  | 'last_message_at'
  | 'attachment_count';
/** What a condition reads from other rows. No fact says what it was before. */
export type BesideTheRow = 'contact' | 'delivery';

export type StateNow = {
  tags: readonly string[];
  archived_at: string | null;
  spam_at: string | null;
  trashed_at: string | null;
};

/** A fact that came later, and what undoes it. */
export type LaterFact = { [Type in TicketEventType]: { type: Type; data: Events[Type] } }[TicketEventType];

/** What is known of the moment itself: which snooze ran then, and its messages until then. */
export type AtTheTime = { at: string; snoozedUntil: string | null; lastMessageAt: string; attachmentCount: number };

export type EarlierState = {
  /** The columns that had other values, with these. */
  columns: Record<string, unknown>;
  /** What cannot be rebuilt. */
  unknown: Set<StateColumn | BesideTheRow>;
};

/** The state of a ticket at a fact: the row now, with each later fact undone. Takes the newest fact first. */
export function earlierState(now: StateNow, later: readonly LaterFact[], then: AtTheTime): EarlierState {
  const undone = new Undone(now, then);
  for (const fact of later) undone.undo(fact);
  return undone.state();
}

const ofMessages = ['last_message_at', 'attachment_count', 'contact', 'delivery'] as const;

class Undone {
  readonly #columns = new Map<StateColumn, unknown>();
  readonly #unknown = new Set<StateColumn | BesideTheRow>();
  readonly #then: AtTheTime;
  readonly #now: StateNow;
  #tags: readonly string[];
  /** Archived for itself, spam, in the trash. Each hides the ticket by a column, and archives it. */
  readonly #hidden: { byHand: boolean; spam: boolean; trash: boolean };

  constructor(now: StateNow, then: AtTheTime) {
    const { archived_at, spam_at, trashed_at, tags } = now;
    const byHand = archived_at !== null && archived_at !== spam_at && archived_at !== trashed_at;
    this.#now = now;
    this.#then = then;
    this.#tags = tags;
    this.#hidden = { byHand, spam: spam_at !== null, trash: trashed_at !== null };
  }

  undo(fact: LaterFact): void {
    const { type, data } = fact;
    if (type === 'ticket.status_changed') this.#set('status', data.from);
    else if (type === 'ticket.assigned') this.#set('assignee_id', data.from);
    else if (type === 'ticket.priority_changed') this.#set('priority', data.from);
    else if (type === 'ticket.mailbox_changed') this.#set('mailbox_id', data.from);
    else if (type === 'ticket.team_changed') this.#set('team_id', data.from);
    else if (type === 'ticket.tagged') this.#untag(data);
    else if (type === 'ticket.requester_changed') this.#forget('contact');
    else if (type === 'ticket.snoozed' || type === 'ticket.woken') this.#set('snoozed_until', this.#then.snoozedUntil);
    else if (type === 'message.added') this.#unwrite(data.direction === 'outbound');
    else if (type === 'message.delivery_changed' || type === 'message.delivery_handled') this.#forget('delivery');
    else this.#moveBack(fact);
  }

  state(): EarlierState {
    const columns: Record<string, unknown> = Object.fromEntries(this.#columns);
    if (this.#columns.has('priority')) columns.priority_rank = rankOfPriority(String(columns.priority));
    if (this.#columns.has('tags')) columns.tag_keys = this.#tags.map(caseKey);
    const { byHand, spam, trash } = this.#hidden;
    const timeOf = (isSet: boolean, current: string | null) => (isSet ? (current ?? this.#then.at) : null);
    columns.spam_at = timeOf(spam, this.#now.spam_at);
    columns.trashed_at = timeOf(trash, this.#now.trashed_at);
    columns.archived_at = timeOf(byHand || spam || trash, this.#now.archived_at);
    return { columns, unknown: this.#unknown };
  }

  #set(column: StateColumn, value: unknown): void {
    this.#columns.set(column, value);
    this.#unknown.delete(column);
  }

  #forget(...columns: readonly (StateColumn | BesideTheRow)[]): void {
    for (const column of columns) this.#unknown.add(column);
  }

  #untag({ added, removed }: Events['ticket.tagged']): void {
    this.#tags = [...this.#tags.filter((tag) => !added.includes(tag)), ...removed];
    this.#columns.set('tags', this.#tags);
  }

  /** A message may have brought people and files, and answers one that did not arrive. */
  #unwrite(isAnswer: boolean): void {
    this.#columns.set('last_message_at', this.#then.lastMessageAt);
    this.#columns.set('attachment_count', this.#then.attachmentCount);
    this.#forget('contact');
    if (isAnswer) this.#forget('delivery');
  }

  #moveBack(fact: LaterFact): void {
    if (fact.type === 'ticket.archived') this.#hidden.byHand = false;
    else if (fact.type === 'ticket.unarchived') this.#hidden.byHand = true;
    else if (fact.type === 'ticket.trashed') this.#hidden.trash = false;
    else if (fact.type === 'ticket.restored') this.#hidden.trash = true;
    else if (fact.type === 'ticket.spam_changed') this.#hidden.spam = !fact.data.isSpam;
    else if (fact.type === 'ticket.merged') {
      this.#set('merged_into_id', null);
      this.#forget('status', 'snoozed_until', ...ofMessages);
    } else if (fact.type === 'ticket.unmerged') {
      this.#set('merged_into_id', fact.data.fromTicketId);
      this.#forget('status', ...ofMessages);
    } else if (fact.type === 'ticket.merged_from' || fact.type === 'ticket.unmerged_from')
      this.#forget('tags', ...ofMessages);
    else if (fact.type === 'ticket.split' || fact.type === 'ticket.split_from') this.#forget(...ofMessages);
    else if (fact.type === 'message.redacted') this.#forget('attachment_count');
  }
}

import type { Message, TicketEvent } from '../api/client.ts';

/** An entry of a ticket's timeline: a message, or events between messages. */
export type Entry =
  | { kind: 'message'; message: Message }
  | { kind: 'events'; id: string; events: [TicketEvent, ...TicketEvent[]] };

/** Changes by one person with one cause within this time are one line. */
const groupMs = 10 * 60_000;

/** Events that a message shows by itself. */
const silent: ReadonlySet<string> = new Set(['message.added', 'message.delivery_changed', 'ticket.created']);

/**
 * Sorts messages and events into one timeline. Scheduled answers come last, as they have yet to leave. Neighbouring
 * events of one actor and cause within ten minutes are one entry.
 */
export function timelineOf(messages: readonly Message[], events: readonly TicketEvent[]): Entry[] {
  const told = events.filter(({ type }) => !silent.has(type));
  const entries: Entry[] = [];
  let at = 0;
  const addEventsBefore = (time: string) => {
    for (let event = told[at]; event !== undefined && event.createdAt < time; event = told[++at]) add(entries, event);
  };
  for (const message of messages.filter((one) => !isScheduled(one))) {
    addEventsBefore(message.createdAt);
    entries.push({ kind: 'message', message });
  }
  for (const event of told.slice(at)) add(entries, event);
  for (const message of messages.filter(isScheduled)) entries.push({ kind: 'message', message });
  return entries;
}

function isScheduled({ delivery }: Message): boolean {
  return delivery?.status === 'scheduled';
}

function add(entries: Entry[], event: TicketEvent): void {
  const last = entries.at(-1);
  const isContinued =
    last?.kind === 'events' &&
    isTogether(last.events[0], event) &&
    Date.parse(event.createdAt) - Date.parse(last.events[0].createdAt) < groupMs;
  if (isContinued) last.events.push(event);
  else entries.push({ kind: 'events', id: event.id, events: [event] });
}

/** Whether two events have one actor and one cause. */
function isTogether(one: TicketEvent, other: TicketEvent): boolean {
  return (
    one.actor.type === other.actor.type &&
    one.actor.userId === other.actor.userId &&
    one.cause?.kind === other.cause?.kind &&
    one.cause?.id === other.cause?.id
  );
}

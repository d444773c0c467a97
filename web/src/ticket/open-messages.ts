import type { Message } from '../api/client.ts';

/** The open messages of a ticket. `byHand` has the reader's choices, which win; `byItself` has the newest messages. */
export type OpenMessages = { ticketId: string; byHand: ReadonlyMap<string, boolean>; byItself: ReadonlySet<string> };

export function openAtFirst(ticketId: string): OpenMessages {
  return { ticketId, byHand: new Map(), byItself: new Set() };
}

/**
 * Opens the newest message, the newest of a customer, and unseen messages. They stay open when newer messages come.
 * @returns the same object where nothing changed
 */
export function withNewest(
  state: OpenMessages,
  messages: readonly Pick<Message, 'id' | 'delivery' | 'direction' | 'isInternal'>[],
  unseen: ReadonlySet<string>,
): OpenMessages {
  const newest = messages.findLast((message) => !isUndone(message)) ?? messages.at(-1);
  // What a note or an own answer below it speaks of.
  const asked = messages.findLast(({ direction, isInternal }) => direction === 'inbound' && !isInternal);
  const wanted = [...unseen, ...[newest, asked].flatMap((message) => message?.id ?? [])].filter(
    (id) => !state.byItself.has(id),
  );
  return wanted.length === 0 ? state : { ...state, byItself: new Set([...state.byItself, ...wanted]) };
}

export function isOpen({ byHand, byItself }: OpenMessages, message: Pick<Message, 'id' | 'delivery'>): boolean {
  return byHand.get(message.id) ?? (byItself.has(message.id) && !isUndone(message));
}

/** Whether sending an answer was undone. */
export function isUndone({ delivery }: Pick<Message, 'delivery'>): boolean {
  return delivery?.status === 'cancelled';
}

export function withOpen(state: OpenMessages, ids: readonly string[], open: boolean): OpenMessages {
  return { ...state, byHand: new Map([...state.byHand, ...ids.map((id) => [id, open] as const)]) };
}

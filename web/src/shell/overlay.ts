import { useSyncExternalStore } from 'react';
import type { Message, Ticket } from '../api/client.ts';
import { pressedButton, silenceKeys } from '../commands.ts';
import type { Outcome } from '../tickets/changes.ts';
import type { ListParameters } from '../tickets/lists.ts';
import type { FieldChange, TicketChange } from '../tickets/ticket-change.ts';

export type PropertyKind = 'status' | 'assign' | 'tags' | 'priority' | 'snooze' | 'mailbox';
/** What a picker shows of a ticket. One that is not made yet has no number. */
export type Properties = Pick<Ticket, 'id' | 'status' | 'assigneeId' | 'tags'> &
  Partial<Pick<Ticket, 'ticketNumber' | 'priority' | 'snoozedUntil' | 'mailboxId' | 'teamId'>>;

/** A dialog over the page. Only one dialog is open at a time. */
export type Overlay =
  | { kind: PropertyKind; tickets: readonly Properties[]; onChange: (change: TicketChange) => void }
  | {
      kind: 'merge';
      tickets: readonly Ticket[];
      onMerge: (sources: readonly Ticket[], target: Ticket) => void;
    }
  | { kind: 'requester'; tickets: readonly [Ticket] }
  | {
      kind: 'sendLater';
      /** Whether a scheduled mail gets another time. */
      isAgain?: boolean;
      /** Whether it begins a ticket, so that no reply can come before. */
      isFirst?: boolean;
      onPick: (at: Date, unlessReplied: boolean) => void;
    }
  | { kind: 'palette'; tickets: readonly Ticket[] }
  | {
      kind: 'bulkReply';
      tickets: readonly Ticket[];
      /** Undefined until the person has chosen. */
      savedReplyId: string | undefined;
      onOutcome: (outcome: Outcome) => void;
    }
  | {
      kind: 'split';
      ticketNumber: number;
      /** This message and all later ones are chosen at first. */
      fromId?: string;
    }
  | { kind: 'redact'; message: Message }
  | { kind: 'block'; tickets: readonly Ticket[]; onDone: (() => void) | undefined }
  | {
      /** A change of all tickets that match a list. */
      kind: 'bulkAll';
      list: ListParameters;
      exceptIds: readonly string[];
      /** Undefined for a change that needs its tickets chosen, such as a merge. */
      fields: FieldChange | undefined;
      onDone: () => void;
    }
  | { kind: 'purge'; tickets: readonly Ticket[] };

let shown: Overlay | undefined;
let opener: HTMLElement | undefined;
const listeners = new Set<() => void>();

/** @param button the button that was pressed, if it runs no command */
export function openOverlay(overlay: Overlay, button = pressedButton()): void {
  opener = button;
  set(overlay);
}

/** The button that opened the dialog; undefined for a key. */
export function openerOfOverlay(): HTMLElement | undefined {
  return opener;
}

export function closeOverlay(): void {
  set(undefined);
}

function set(next: Overlay | undefined): void {
  shown = next;
  silenceKeys(next !== undefined);
  for (const listener of listeners) listener();
}

export function useOverlay(): Overlay | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
}

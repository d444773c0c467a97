/** What led to a change that nobody made by hand, and what the id of the cause names. */
export const causes = {
  bulk_change: 'a change of many tickets',
  bulk_undo: 'the change of many tickets that was undone',
  saved_reply: 'a saved reply, whose actions ran',
  mail: 'a message that came by mail',
  mailbox: 'a mailbox, whose settings apply to new tickets',
  block_list: null,
  snooze: null,
  delivery: 'an answer, of which a mail server told what became of it',
  departure: 'the account of a member who left',
  import: null,
  erasure: "an erasure of a person's data",
  rule: 'a rule',
  auto_reply: 'an automatic reply',
  survey: 'a survey',
} as const satisfies Record<string, string | null>;

export type CauseKind = keyof typeof causes;
// The cast holds: `causes` has no other keys.
export const causeKinds = Object.keys(causes) as CauseKind[];

type Named = { [Kind in CauseKind]: (typeof causes)[Kind] extends null ? never : Kind }[CauseKind];

/** Kinds that may lead to facts from which they follow again. */
type Chained = 'rule' | 'auto_reply';

/** Why something happened, beside who did it. It is stored with the fact. */
export type Cause =
  /** `depth` is how many of its kind led here, one after the other. */
  | { readonly kind: Chained; readonly id: string; readonly depth: number }
  | { readonly kind: Exclude<Named, Chained>; readonly id: string | null }
  | { readonly kind: Exclude<CauseKind, Named>; readonly id: null };

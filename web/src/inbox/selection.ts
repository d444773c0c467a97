/** The selected tickets, and the ticket where a range begins. */
export type Selection = { ids: ReadonlySet<string>; anchor: string | null };

export const nothingSelected: Selection = { ids: new Set(), anchor: null };

export function toggle({ ids }: Selection, id: string): Selection {
  return { ids: withTickets(ids, [id], !ids.has(id)), anchor: id };
}

/** Adds everything between the anchor and the ticket, in the order of the list. */
export function selectTo(selection: Selection, order: readonly string[], id: string): Selection {
  const from = selection.anchor === null ? -1 : order.indexOf(selection.anchor);
  const to = order.indexOf(id);
  if (from === -1 || to === -1) return toggle(selection, id);
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: withTickets(selection.ids, range, true), anchor: selection.anchor };
}

/**
 * Extends the selection by a step to a neighbour. A step back to a selected ticket deselects the ticket it came from.
 */
export function extend(selection: Selection, from: string, to: string): Selection {
  if (selection.ids.has(from) && selection.ids.has(to))
    return { ids: withTickets(selection.ids, [from], false), anchor: to };
  return { ids: withTickets(selection.ids, [from, to], true), anchor: selection.anchor ?? from };
}

export function selectAll(order: readonly string[]): Selection {
  return { ids: new Set(order), anchor: order[0] ?? null };
}

/** Deselects all other tickets. */
export function keepOnly(selection: Selection, ids: ReadonlySet<string>): Selection {
  const kept = [...selection.ids].filter((id) => ids.has(id));
  return kept.length === 0 ? nothingSelected : { ...selection, ids: new Set(kept) };
}

function withTickets(ids: ReadonlySet<string>, changed: readonly string[], isIn: boolean): ReadonlySet<string> {
  const next = new Set(ids);
  for (const id of changed) {
    if (isIn) next.add(id);
    else next.delete(id);
  }
  return next;
}

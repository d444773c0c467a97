/**
 * Whether this statement may revoke access that the gate has cached: it updates or deletes sessions, members,
 * workspaces or keys, and does more than record their last use. Inserts cannot revoke: a sign-in or an accepted
 * invitation only grants access, and the gate caches no refusals.
 */
export function isLoss(text: string): boolean {
  let isOne = known.get(text);
  if (isOne === undefined) {
    isOne = loss.test(text);
    known.set(text, isOne);
  }
  return isOne;
}

const loss = /\b(?:update|delete from) (?:sessions|members|workspaces|api_keys)\b(?! set last_used_at = \$\d+\s+where)/;

// Bounded: all statement texts come from the code.
const known = new Map<string, boolean>();

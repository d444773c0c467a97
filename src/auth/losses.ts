/**
 * Whether a statement may take a right that the gate knows somebody to have: it ends or changes sessions, memberships,
 * workspaces or keys, and does not only note that they are in use. What only gives a right, as a sign-in or an invitation
 * that is accepted, is not among it: nothing is kept of those who have none.
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

// The texts are the code's own, so their number is bounded by it.
const known = new Map<string, boolean>();

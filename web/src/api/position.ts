/**
 * Whether an answer has read what an event tells. The service writes both texts (`position.ts` of its `activity`): the
 * answer's has the transactions that it has not read. True where they cannot be compared, as after a restore.
 * @param position of the answer; undefined where an earlier release answered
 */
export function hasRead(position: string | undefined, eventId: string): boolean {
  const [epochRead, first, , , next, ...running] = decoded(position);
  const [epoch, transaction] = decoded(eventId);
  if (first === undefined || transaction === undefined || epochRead !== epoch) return true;
  if (BigInt(transaction) < BigInt(first)) return true;
  return BigInt(transaction) < BigInt(next ?? first) && !running.includes(transaction);
}

function decoded(text: string | undefined): string[] {
  try {
    const parts: unknown = JSON.parse(atob((text ?? '').replaceAll('-', '+').replaceAll('_', '/')));
    return Array.isArray(parts) ? parts.map(String) : [];
  } catch {
    return [];
  }
}

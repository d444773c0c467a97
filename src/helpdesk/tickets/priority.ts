/** Ranks for `sort=priority`. Every other name ranks as normal. */
const ranks: Record<string, number> = { low: 1, normal: 2, high: 3, urgent: 4 };

export const defaultPriority = 'normal';

export function rankOfPriority(priority: string): number {
  return (Object.hasOwn(ranks, priority) ? ranks[priority] : ranks.normal) as number;
}

/** Priorities are stored and compared in lower case. */
export function priorityKey(priority: string): string {
  return priority.trim().toLowerCase();
}

import { dropKept, keep, keptUnder } from '../../api/kept.ts';
import type { Waiting } from '../../api/outbox.ts';
import { livingTabs, tabId } from '../../api/tab.ts';
import type { TicketWrite } from '../send-change.ts';

type Entry = Waiting<TicketWrite>;
type KeptChange = { userId: string; savedAt: number; entry: Entry };

/** The service remembers idempotency keys for 24 hours. A later repeat could apply the change twice. */
const ageMaxMs = 24 * 3_600_000;
const keyOf = ({ key }: Entry) => `change ${tabId} ${key}`;
let keptHere: readonly Entry[] = [];

/** Keeps waiting changes in the browser, so that a crashed tab does not lose them. */
export function keepChanges(userId: string, waiting: readonly Entry[]): void {
  for (const entry of waiting)
    if (!keptHere.some(({ key }) => key === entry.key))
      void keep(keyOf(entry), { userId, savedAt: Date.now(), entry } satisfies KeptChange);
  for (const entry of keptHere) if (!waiting.some(({ key }) => key === entry.key)) void dropKept(keyOf(entry));
  keptHere = waiting;
}

/**
 * Moves the changes that closed tabs of this person left behind to this tab.
 * @returns the changes, oldest first, and the tabs that keep theirs because they live
 */
export async function takeChangesLeft(userId: string): Promise<{ left: Entry[]; living: ReadonlySet<string> }> {
  const [kept, isLiving] = await Promise.all([keptUnder<KeptChange>('change '), livingTabs()]);
  const own = kept.filter(([, change]) => change.userId === userId);
  const living = new Set(own.map(([key]) => tabOf(key)).filter((tab) => isLiving?.(tab) === true));
  const left = own.filter(([key]) => !living.has(tabOf(key)));
  for (const [key] of left) await dropKept(key);
  const entries = left
    .map(([, change]) => change)
    .filter(({ savedAt }) => Date.now() - savedAt < ageMaxMs)
    .sort((a, b) => a.savedAt - b.savedAt)
    .map(({ entry }) => ({ ...entry, attempts: 0 }));
  return { left: entries, living };
}

function tabOf(key: string): string {
  return key.split(' ')[1] ?? '';
}

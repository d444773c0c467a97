import { dropKept, keep, keptUnder } from '../api/kept.ts';
import type { Waiting } from '../api/outbox.ts';
import type { TicketWrite } from './send-change.ts';

type Entry = Waiting<TicketWrite>;
type KeptChange = { userId: string; savedAt: number; entry: Entry };

/** The service remembers keys for as long: a repeat after that could be done twice. */
const ageMaxMs = 24 * 3_600_000;
const tabId = crypto.randomUUID();
const lockName = (tab: string) => `kontor.tab ${tab}`;
const keyOf = ({ key }: Entry) => `change ${tabId} ${key}`;
let keptHere: readonly Entry[] = [];

// While this tab lives, others leave its changes alone.
void globalThis.navigator?.locks?.request(lockName(tabId), () => new Promise(() => {}));

/** Keeps the changes that wait, so that a tab that dies loses none. */
export function keepChanges(userId: string, waiting: readonly Entry[]): void {
  for (const entry of waiting)
    if (!keptHere.some(({ key }) => key === entry.key))
      void keep(keyOf(entry), { userId, savedAt: Date.now(), entry } satisfies KeptChange);
  for (const entry of keptHere) if (!waiting.some(({ key }) => key === entry.key)) void dropKept(keyOf(entry));
  keptHere = waiting;
}

/** The changes of this person that tabs left behind when they went, the oldest first. They belong to this tab now. */
export async function takeChangesLeft(userId: string): Promise<Entry[]> {
  const [kept, held] = await Promise.all([keptUnder<KeptChange>('change '), navigator.locks?.query()]);
  const living = new Set(held?.held?.map(({ name }) => name));
  const left = kept.filter(
    ([key, change]) => change.userId === userId && !living.has(lockName(key.split(' ')[1] ?? '')),
  );
  for (const [key] of left) await dropKept(key);
  return left
    .map(([, change]) => change)
    .filter(({ savedAt }) => Date.now() - savedAt < ageMaxMs)
    .sort((a, b) => a.savedAt - b.savedAt)
    .map(({ entry }) => ({ ...entry, attempts: 0 }));
}

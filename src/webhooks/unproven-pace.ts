/** Strangers may send pokes that nothing proves: they have a mailbox looked at once in this time. */
const everyMs = 60_000;

export type UnprovenPace = {
  /** Takes the next turn of a mailbox. @returns when it is; pokes that come before it share it */
  nextTurn(mailboxId: string, now: Date): Date;
};

/** Counts in this process, so that a stranger's poke costs no write. Each process adds a turn a minute at most. */
export function openUnprovenPace(): UnprovenPace {
  const turns = new Map<string, Date>();
  return {
    nextTurn: (mailboxId, now) => {
      const last = turns.get(mailboxId);
      if (last !== undefined && last > now) return last;
      const turn = new Date(Math.max(now.getTime(), (last?.getTime() ?? 0) + everyMs));
      turns.set(mailboxId, turn);
      return turn;
    },
  };
}

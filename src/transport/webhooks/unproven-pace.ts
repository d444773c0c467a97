/** Strangers can send unproven pokes, so these cause at most one sync per mailbox in this time. */
const everyMs = 60_000;

type UnprovenPace = {
  /** Takes the next turn of a mailbox. @returns its time; pokes that come before it share the turn */
  nextTurn(mailboxId: string, now: Date): Date;
};

/** Counts in this process, so that a stranger's poke costs no write. Several processes have separate turns. */
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

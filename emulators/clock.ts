/** The time of an emulator: the machine's, or a test's own, moved on by hand. */
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
  /** Moves the clock on; waits that are over by then end at once. */
  advance(ms: number): void;
  /** Acts once, after so much of the machine's time or when the clock is moved past it. @returns what calls it off */
  after(ms: number, act: () => void): () => void;
  /** Calls off what is still waited for. */
  close(): void;
};

type Wait = { dueAt: number; act: () => void; timer: NodeJS.Timeout };

export function openClock(now: () => Date = () => new Date()): Clock {
  const waits = new Set<Wait>();
  let aheadMs = 0;
  // Waits go by a clock that runs even where a test's own stands still.
  const running = (): number => performance.now() + aheadMs;
  const end = (wait: Wait): void => {
    clearTimeout(wait.timer);
    if (waits.delete(wait)) wait.act();
  };
  const timerOf = (wait: Omit<Wait, 'timer'>): NodeJS.Timeout =>
    setTimeout(() => end(wait as Wait), Math.max(0, wait.dueAt - running())).unref(); // it has its timer by then
  return {
    now: () => now().getTime() + aheadMs,
    advance: (ms) => {
      aheadMs += ms;
      for (const wait of [...waits].sort((one, other) => one.dueAt - other.dueAt)) {
        clearTimeout(wait.timer);
        if (wait.dueAt <= running()) end(wait);
        else wait.timer = timerOf(wait);
      }
    },
    after: (ms, act) => {
      const wait = { dueAt: running() + ms, act } as Wait;
      wait.timer = timerOf(wait);
      waits.add(wait);
      return () => {
        clearTimeout(wait.timer);
        waits.delete(wait);
      };
    },
    close: () => {
      for (const wait of waits) clearTimeout(wait.timer);
      waits.clear();
    },
  };
}

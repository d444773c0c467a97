/** The emulator's time: the wall clock or a test's clock, plus the time by which a test advanced it. */
export type VirtualClock = {
  now(): Date;
  /** Runs the task after the delay, by the wall clock or by `advance`. @returns a function that cancels the task */
  after(delayMs: number, task: () => unknown): () => void;
  /** Runs the tasks that fall due on the way in order, and awaits each. */
  advance(ms: number): Promise<void>;
  close(): void;
};

type Task = { dueAt: number; run: () => unknown; timer: NodeJS.Timeout | undefined };

/** The longest delay of a Node timer. */
const timerMsMax = 2 ** 31 - 1;

export function makeVirtualClock(base: () => Date): VirtualClock {
  let advancedMs = 0;
  const tasks = new Set<Task>();
  const elapsed = () => performance.now() + advancedMs;
  const arm = (task: Task) => {
    clearTimeout(task.timer);
    const delayMs = Math.max(0, Math.ceil(task.dueAt - elapsed()));
    task.timer = setTimeout(() => fire(task), Math.min(delayMs, timerMsMax));
    task.timer.unref();
  };
  const fire = (task: Task) => {
    // A timer may fire a little early.
    if (task.dueAt - elapsed() > 1) return arm(task);
    tasks.delete(task);
    void task.run();
  };
  const earliest = (until: number) =>
    [...tasks].reduce<Task | undefined>(
      (first, task) => (task.dueAt <= until && task.dueAt < (first?.dueAt ?? Number.POSITIVE_INFINITY) ? task : first),
      undefined,
    );
  return {
    now: () => new Date(base().getTime() + advancedMs),
    after(delayMs, run) {
      const task: Task = { dueAt: elapsed() + delayMs, run, timer: undefined };
      tasks.add(task);
      arm(task);
      return () => {
        clearTimeout(task.timer);
        tasks.delete(task);
      };
    },
    async advance(ms) {
      const targetMs = advancedMs + ms;
      const until = performance.now() + targetMs;
      for (let task = earliest(until); task !== undefined; task = earliest(until)) {
        clearTimeout(task.timer);
        tasks.delete(task);
        advancedMs = Math.min(targetMs, Math.max(advancedMs, task.dueAt - performance.now()));
        await task.run();
      }
      advancedMs = Math.max(advancedMs, targetMs);
      for (const task of tasks) arm(task);
    },
    close() {
      for (const task of tasks) clearTimeout(task.timer);
      tasks.clear();
    },
  };
}

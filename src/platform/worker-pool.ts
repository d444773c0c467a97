import { Piscina } from 'piscina';
import { AppError } from '../lib/errors.ts';
import { inTurns } from '../lib/in-turns.ts';

/** Worker threads for work that would block the event loop. */
export type WorkerPool<Question, Answer> = {
  /**
   * @param options.transfer memory that is transferred to the thread, and no longer usable here
   * Throws `unavailable` when too many questions wait already or the pool is closed, and any error of the work. A thread that
   * dies, runs out of memory or exceeds the time limit fails only its own question.
   */
  ask(question: Question, options?: { transfer?: ArrayBuffer[] }): Promise<Answer>;
  close(): Promise<void>;
};

type WorkerPoolOptions = {
  /** A module that exports a function `answer`, which takes a question and returns or resolves to its answer. */
  module: URL;
  threadsMax: number;
  /** Questions that wait for a thread. */
  waitingMax: number;
  /** Limit of V8's heap in one thread, without buffers. Left out: that of the process. */
  heapMbMax?: number;
  /** Ends a thread that works longer on one question. */
  secondsMax?: number;
  /** 0 to 19, on Linux; see `behindRequests`. */
  niceness?: number;
};

/** Some 3 % of a processor while requests need it, and all of it when it is idle. */
const behindRequests = 15;
/** How long a thread, and the memory that it holds, outlives its last question. */
const idleMilliseconds = 60_000;
const retryAfterSeconds = 5;

/** Threads start with the first question that finds none free, and end a minute after their last one. */
export function openWorkerPool<Question, Answer>(options: WorkerPoolOptions): WorkerPool<Question, Answer> {
  const { module, threadsMax, waitingMax, heapMbMax, secondsMax, niceness = behindRequests } = options;
  const pool = new Piscina<Question, Answer>({
    filename: module.href,
    name: 'answer',
    minThreads: 0,
    maxThreads: threadsMax,
    idleTimeout: idleMilliseconds,
    // With atomics an idle thread blocks, which stops its timers and its garbage collector.
    atomics: 'disabled',
    // On other systems it would apply to the whole process.
    niceIncrement: process.platform === 'linux' ? niceness : 0,
    ...(heapMbMax === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapMbMax } }),
  });
  const underWay = new Set<AbortController>();
  // A thread died before it took a question, for example because its module failed to load. The pool itself would leave that
  // question waiting until the next one comes.
  pool.on('error', (fault) => {
    for (const controller of underWay) controller.abort(fault);
  });
  // Questions wait here and not in the pool, which starts no new thread for waiting questions after one has died.
  const inTurn = inTurns(threadsMax);
  let asked = 0;
  let isClosed = false;

  const run: WorkerPool<Question, Answer>['ask'] = async (question, { transfer = [] } = {}) => {
    if (isClosed) throw new AppError('unavailable');
    const controller = new AbortController();
    const timeout =
      secondsMax === undefined
        ? undefined
        : setTimeout(() => controller.abort(new WorkerTimeout()), secondsMax * 1_000);
    underWay.add(controller);
    try {
      return await pool.run(question, { signal: controller.signal, transferList: transfer });
    } catch (error) {
      if (isClosed) throw new AppError('unavailable', {}, { cause: error });
      throw controller.signal.aborted ? controller.signal.reason : error;
    } finally {
      clearTimeout(timeout);
      underWay.delete(controller);
    }
  };

  return {
    ask: async (question, options) => {
      if (asked >= threadsMax + waitingMax)
        throw new AppError('unavailable', {}, { headers: { 'retry-after': String(retryAfterSeconds) } });
      asked++;
      try {
        return await inTurn(() => run(question, options));
      } finally {
        asked--;
      }
    },
    close: async () => {
      isClosed = true;
      await pool.destroy();
    },
  };
}

/** A question took longer than its pool allows. */
class WorkerTimeout extends Error {
  override readonly name = 'WorkerTimeout';
}

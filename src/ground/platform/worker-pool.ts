import { Piscina } from 'piscina';
import { AppError } from '../lib/errors.ts';
import { inTurns } from '../lib/in-turns.ts';

/** Worker threads for work that would block the event loop. */
export type WorkerPool<Question, Answer> = {
  /**
   * Throws `unavailable` when too many questions wait or the pool is closed. Throws any error of the work as well.
   * A thread that dies, runs out of memory or exceeds the time limit fails only its own question.
   * @param options.transfer memory to transfer to the thread; the caller can no longer use it
   */
  ask(question: Question, options?: { transfer?: ArrayBuffer[] }): Promise<Answer>;
  close(): Promise<void>;
};

type WorkerPoolOptions = {
  /** A module that exports `answer`, a function that takes a question and returns its answer or a promise of it. */
  module: URL;
  threadsMax: number;
  /** The most questions that may wait for a thread. */
  waitingMax: number;
  /** The limit of V8's heap in one thread, without buffers. Default: the limit of the process. */
  heapMbMax?: number;
  /** A thread that works longer on one question is ended. */
  secondsMax?: number;
  /** 0 to 19, on Linux only; see `behindRequests`. */
  niceness?: number;
};

/** Gives a thread about 3 % of a processor while requests need it, and all of it when it is idle. */
const behindRequests = 15;
/** How long a thread and its memory remain after its last question. */
const idleMilliseconds = 60_000;
const retryAfterSeconds = 5;

/** A thread starts when a question finds none idle, and ends a minute after its last question. */
export function openWorkerPool<Question, Answer>(options: WorkerPoolOptions): WorkerPool<Question, Answer> {
  const { module, threadsMax, waitingMax, heapMbMax, secondsMax, niceness = behindRequests } = options;
  const pool = new Piscina<Question, Answer>({
    filename: module.href,
    name: 'answer',
    minThreads: 0,
    maxThreads: threadsMax,
    idleTimeout: idleMilliseconds,
    // With atomics, an idle thread blocks, which stops its timers and its garbage collector.
    atomics: 'disabled',
    // On other systems niceness would apply to the whole process.
    niceIncrement: process.platform === 'linux' ? niceness : 0,
    ...(heapMbMax === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapMbMax } }),
  });
  const underWay = new Set<AbortController>();
  // This event means that a thread died before it took a question, for example because its module failed to load. The
  // pool would leave that question waiting until another question arrives.
  pool.on('error', (fault) => {
    for (const controller of underWay) controller.abort(fault);
  });
  // Questions wait here instead of in the pool: after a thread has died, the pool starts no new thread for them.
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

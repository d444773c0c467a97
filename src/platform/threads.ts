import { Worker } from 'node:worker_threads';
import { AppError } from '../lib/errors.ts';

/** Work that would hold up every request, done beside them: a few threads, one question at a time each. */
export type Threads<Question, Answer> = {
  /** Throws `unavailable` when too many wait already, and what the work threw. */
  ask(question: Question): Promise<Answer>;
  close(): Promise<void>;
};

type ThreadsOptions = {
  /** A module that calls `answerQuestions`. */
  module: URL;
  countMax: number;
  waitingMax: number;
};

/** What `answerQuestions` sends back. */
export type Reply<Answer> = { answer: Answer } | { fault: unknown };

type Waiting<Question, Answer> = {
  question: Question;
  resolve(answer: Answer): void;
  reject(fault: unknown): void;
};
type Thread<Question, Answer> = { worker: Worker; asked: Waiting<Question, Answer> | undefined };

/** How long a thread, and the memory that it holds, outlives its last question. */
const idleMilliseconds = 60_000;
const retryAfterSeconds = 5;

/** Threads start with the first question that finds none free, and end a minute after the last one. */
export function openThreads<Question, Answer>(options: ThreadsOptions): Threads<Question, Answer> {
  const { module, countMax, waitingMax } = options;
  const threads = new Set<Thread<Question, Answer>>();
  const waiting: Waiting<Question, Answer>[] = [];
  let idle: NodeJS.Timeout | undefined;

  const start = (): Thread<Question, Answer> => {
    const thread: Thread<Question, Answer> = { worker: new Worker(module), asked: undefined };
    let fault: unknown = new Error('a thread ended in mid-work');
    const { worker } = thread;
    worker.on('message', (reply: Reply<Answer>) => {
      if ('answer' in reply) thread.asked?.resolve(reply.answer);
      else thread.asked?.reject(reply.fault);
      thread.asked = undefined;
      goOn(thread);
    });
    worker.on('error', (error) => {
      fault = error;
    });
    worker.on('exit', () => {
      threads.delete(thread);
      thread.asked?.reject(fault);
      // The others do not wait for a thread that is no more.
      const next = threads.size === 0 ? waiting.shift() : undefined;
      if (next !== undefined) put(start(), next);
    });
    threads.add(thread);
    return thread;
  };
  const put = (thread: Thread<Question, Answer>, next: Waiting<Question, Answer>): void => {
    thread.asked = next;
    // The process stays for as long as someone waits for an answer, and no longer.
    thread.worker.ref();
    thread.worker.postMessage(next.question);
  };
  const goOn = (thread: Thread<Question, Answer>): void => {
    const next = waiting.shift();
    if (next !== undefined) put(thread, next);
    else {
      thread.worker.unref();
      clearTimeout(idle);
      idle = setTimeout(endIdle, idleMilliseconds).unref();
    }
  };
  const endIdle = (): void => {
    for (const thread of threads) {
      if (thread.asked !== undefined) continue;
      threads.delete(thread);
      thread.worker.terminate();
    }
  };

  return {
    ask: (question) =>
      new Promise<Answer>((resolve, reject) => {
        const asking = { question, resolve, reject };
        const free = [...threads].find(({ asked }) => asked === undefined);
        if (free !== undefined) put(free, asking);
        else if (threads.size < countMax) put(start(), asking);
        else if (waiting.length < waitingMax) waiting.push(asking);
        else reject(new AppError('unavailable', {}, { headers: { 'retry-after': String(retryAfterSeconds) } }));
      }),
    close: async () => {
      clearTimeout(idle);
      for (const { reject } of waiting.splice(0)) reject(new Error('closed in mid-work'));
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}

import { AppError } from '../lib/errors.ts';
import { type Answerer, type StartAnswerer, startThread } from './answerers.ts';

/** Work that would hold up every request, done beside them: a few threads or processes, one question at a time each. */
export type Threads<Question, Answer> = {
  /** Throws `unavailable` when too many wait already, and what the work threw. */
  ask(question: Question): Promise<Answer>;
  close(): Promise<void>;
};

type ThreadsOptions = {
  /** A module that calls `answerQuestions`. */
  module: URL;
  /** Threads, unless told otherwise. */
  start?: StartAnswerer;
  countMax: number;
  waitingMax: number;
};

type Waiting<Question, Answer> = {
  question: Question;
  resolve(answer: Answer): void;
  reject(fault: unknown): void;
};
type Thread<Question, Answer> = { answerer: Answerer<Question>; asked: Waiting<Question, Answer> | undefined };

/** How long a thread, and the memory that it holds, outlives its last question. */
const idleMilliseconds = 60_000;
const retryAfterSeconds = 5;

/** Threads start with the first question that finds none free, and end a minute after the last one. */
export function openThreads<Question, Answer>(options: ThreadsOptions): Threads<Question, Answer> {
  const { module, start: startAnswerer = startThread, countMax, waitingMax } = options;
  const threads = new Set<Thread<Question, Answer>>();
  const waiting: Waiting<Question, Answer>[] = [];
  let idle: NodeJS.Timeout | undefined;

  const start = (): Thread<Question, Answer> => {
    const answerer = startAnswerer<Question, Answer>(module, {
      onReply: (reply) => {
        if ('answer' in reply) thread.asked?.resolve(reply.answer);
        else thread.asked?.reject(reply.fault);
        thread.asked = undefined;
        goOn(thread);
      },
      onEnd: (fault) => {
        threads.delete(thread);
        thread.asked?.reject(fault);
        // The others do not wait for a thread that is no more.
        const next = threads.size === 0 ? waiting.shift() : undefined;
        if (next !== undefined) put(start(), next);
      },
    });
    const thread: Thread<Question, Answer> = { answerer, asked: undefined };
    threads.add(thread);
    return thread;
  };
  const put = (thread: Thread<Question, Answer>, next: Waiting<Question, Answer>): void => {
    thread.asked = next;
    thread.answerer.ref();
    thread.answerer.ask(next.question);
  };
  const goOn = (thread: Thread<Question, Answer>): void => {
    const next = waiting.shift();
    if (next !== undefined) put(thread, next);
    else {
      thread.answerer.unref();
      clearTimeout(idle);
      idle = setTimeout(endIdle, idleMilliseconds).unref();
    }
  };
  const endIdle = (): void => {
    for (const thread of threads) {
      if (thread.asked !== undefined) continue;
      threads.delete(thread);
      void thread.answerer.end();
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
      await Promise.all([...threads].map(({ answerer }) => answerer.end()));
    },
  };
}

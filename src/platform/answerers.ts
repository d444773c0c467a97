import { fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';

/** What `answerQuestions` sends back. */
export type Reply<Answer> = { answer: Answer } | { fault: unknown };

/** Somebody beside the requests who answers one question at a time. */
export type Answerer<Question> = {
  ask(question: Question): void;
  /** The process stays for as long as someone waits for an answer, and no longer. */
  ref(): void;
  unref(): void;
  end(): Promise<void>;
};

export type Watch<Answer> = {
  onReply(reply: Reply<Answer>): void;
  /** Once, however it ended. */
  onEnd(fault: Error): void;
};

export type StartAnswerer = <Question, Answer>(module: URL, watch: Watch<Answer>) => Answerer<Question>;

/** A thread: it starts quickly, and shares the memory and the priority among sessions of the requests' process. */
export const startThread: StartAnswerer = (url, { onReply, onEnd }) => {
  const worker = new Worker(url);
  let fault = new Error('a thread ended in mid-work');
  worker.on('message', onReply);
  worker.on('error', (error: Error) => {
    fault = error;
  });
  worker.on('exit', () => onEnd(fault));
  return {
    ask: (question) => worker.postMessage(question),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    end: async () => {
      await worker.terminate();
    },
  };
};

/**
 * A process: it can stand back further than a thread, from the database's processes too, and the memory that it takes and gives
 * back is no affair of the requests' process. It ends when its parent does, whatever way that is: nothing else keeps it.
 */
export const startProcess: StartAnswerer = <Question, Answer>(url: URL, { onReply, onEnd }: Watch<Answer>) => {
  const child = fork(url, {
    // The settings, with their secrets, are none of its business.
    env: {},
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // In a session of its own: a terminal's Ctrl-C is for the service, which ends it; and `answerQuestions` makes that one stand back.
    detached: true,
  });
  const ended = Promise.withResolvers<void>();
  let fault = new Error('a process ended in mid-work');
  const end = () => {
    ended.resolve();
    onEnd(fault);
  };
  child.on('message', (reply) => onReply(reply as Reply<Answer>));
  child.on('error', (error) => {
    fault = error;
    // One that could not be started does not exit.
    if (child.pid === undefined) end();
  });
  child.on('exit', end);
  return {
    // Where it has gone, `exit` tells.
    ask: (question: Question) => child.send(question as object, () => {}),
    ref: () => {
      child.ref();
      child.channel?.ref();
    },
    unref: () => {
      child.unref();
      child.channel?.unref();
    },
    end: () => {
      child.kill('SIGKILL');
      return ended.promise;
    },
  };
};

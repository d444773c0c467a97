import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { Reply } from './threads.ts';

/** Some 3 % of a processor's time where a request wants it too; all that others leave. */
const niceness = 15;

/** What a module of `openThreads` runs: answers one question after the other, behind whoever else wants the processor. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Answer): void {
  // Linux takes 0 for the calling thread; elsewhere it is the whole process.
  if (process.platform === 'linux') setPriority(0, niceness);
  const reply = (question: Question): Reply<Answer> => {
    try {
      return { answer: answer(question) };
    } catch (fault) {
      return { fault };
    }
  };
  parentPort?.on('message', (question: Question) => parentPort?.postMessage(reply(question)));
}

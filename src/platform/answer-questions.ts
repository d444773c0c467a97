import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { Reply } from './answerers.ts';

/** What a module of `openThreads` runs: answers one question after the other, behind whoever else wants the processor. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Answer): void {
  const reply = (question: Question): Reply<Answer> => {
    try {
      return { answer: answer(question) };
    } catch (fault) {
      return { fault };
    }
  };
  if (parentPort === null) {
    standBackAsProcess();
    // Whoever asked may be gone by then, and this process is about to follow.
    process.on('message', (question: Question) => process.send?.(reply(question), undefined, undefined, () => {}));
  } else {
    standBackAsThread();
    parentPort.on('message', (question: Question) => parentPort?.postMessage(reply(question)));
  }
}

/** A tenth of a processor's time where a request wants it too; all that others leave. */
const niceness = 10;

function standBackAsThread(): void {
  // Linux takes 0 for the calling thread; elsewhere it is the whole process.
  if (process.platform === 'linux') setPriority(0, niceness);
}

/**
 * Of a process: only what nobody else wants, so long as there is any. Linux counts a processor that is busy with nothing but such
 * work as idle, and wakes others there at once: in a flood of sign-ins the slowest hundredth of reads took 34 ms so, and behind
 * niceness alone 169.
 */
function standBackAsProcess(): void {
  setPriority(niceness);
  // Where sessions share the processors evenly, niceness tells within one alone (sched(7), the autogroup feature).
  attempt(() => writeFileSync('/proc/self/autogroup', String(niceness)));
  // Of util-linux and of BusyBox; Node has no call for it.
  attempt(() => execFileSync('chrt', ['-i', '-p', '0', String(process.pid)], { stdio: 'ignore' }));
}

/** For what not every system has. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // Then niceness is all.
  }
}

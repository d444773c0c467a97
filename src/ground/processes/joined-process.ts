import { answerMsMax, type MainMessage, type Orders, type Processes, type ProcessMessage } from './process-messages.ts';

/** A process that the main process started, as seen from inside. */
type Joined = Orders & {
  processes: Processes;
  /** Resolves when the main process wants this process to end. */
  stopped: Promise<void>;
  tell(message: ProcessMessage): Promise<void>;
};

/**
 * Joins the main process and receives its orders. When the main process is gone, Node's cluster ends this process at
 * once. A terminal or supervisor signals all processes, but only the main process acts on signals.
 */
export async function joinMainProcess(): Promise<Joined> {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
  const begun = Promise.withResolvers<Orders>();
  const stopped = Promise.withResolvers<void>();
  const waiting = new Map<number, (answers: unknown[]) => void>();
  const answers = new Map<string, () => Promise<unknown>>();
  let questions = 0;

  process.on('message', async (message: MainMessage) => {
    if (message.kind === 'begin') begun.resolve(message.orders);
    else if (message.kind === 'stop') stopped.resolve();
    else if (message.kind === 'answers') waiting.get(message.id)?.(message.answers);
    else
      await tellMain({
        kind: 'answer',
        id: message.id,
        answer: await answers
          .get(message.question)?.()
          .catch(() => undefined),
      });
  });
  await tellMain({ kind: 'joined' });
  return {
    ...(await begun.promise),
    stopped: stopped.promise,
    tell: tellMain,
    processes: {
      answer: (question, answer) => answers.set(question, answer),
      ask: async (question) => {
        const id = ++questions;
        const { promise, resolve } = Promise.withResolvers<unknown[]>();
        // The main process itself waits up to `answerMsMax` for the other processes.
        const late = setTimeout(resolve, 2 * answerMsMax, [undefined]);
        waiting.set(id, resolve);
        await tellMain({ kind: 'question', id, question });
        const all = await promise;
        clearTimeout(late);
        waiting.delete(id);
        return all;
      },
    },
  };
}

/** Resolves once the message is on its way, so that an exit cannot overtake it. */
async function tellMain(message: ProcessMessage): Promise<void> {
  await new Promise<void>((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}

import cluster, { type Worker } from 'node:cluster';
import { StartError } from '../lib/start-error.ts';
import type { Logger } from '../platform/log.ts';
import type { Ending } from '../platform/stop.ts';
import { answerMsMax, type MainMessage, type Orders, type Processes, type ProcessMessage } from './process-messages.ts';
import { restartDelayMs } from './restart-delay.ts';

type StartOptions = {
  count: number;
  orders: Omit<Orders, 'number'>;
  log: Logger;
  /** How long a process may take to stop before it is killed. */
  stopMsMax: number;
};

/** The running processes that share the port. Here the main process itself asks through `Processes`. */
type Running = Processes & {
  address: string;
  /** Settles only when the processes end so often that restarting them is pointless. */
  died: Promise<Ending>;
  /** Stops accepting requests, waits until those under way are answered, and ends the processes. */
  stop(): Promise<void>;
};

/** More than `restartDelayMs` looks at. */
const endingsKept = 20;

type Child = {
  worker: Worker;
  isListening: boolean;
  /** Resolves to the address once the process listens. Rejects if the process ends before. */
  listening: Promise<string>;
  exited: Promise<void>;
  waiting: Map<number, (answer: unknown) => void>;
};

/**
 * Starts processes that share one port, and restarts each that ends by itself. The main process accepts the
 * connections and distributes them; docs/decisions/012-the-main-process-hands-out-connections.md explains why the
 * kernel does not.
 * Throws a `StartError` when a process cannot start.
 */
export async function startProcesses({ count, orders, log, stopMsMax }: StartOptions): Promise<Running> {
  // JSON has no NaN, which metrics contain, for example the event-loop delay before its first measurement.
  cluster.setupPrimary({ serialization: 'advanced' });
  const children = new Map<number, Child>();
  const answers = new Map<string, () => Promise<unknown>>();
  const restarts = new Set<NodeJS.Timeout>();
  let endedAt: number[] = [];
  const { promise: died, resolve: die } = Promise.withResolvers<Ending>();
  let state: 'starting' | 'running' | 'stopping' = 'starting';
  let questions = 0;
  const numbers = Array.from({ length: count }, (_, index) => index + 1);

  const ask = (question: string): Promise<unknown[]> => {
    const own = answers
      .get(question)?.()
      .catch(() => undefined);
    return Promise.all([own, ...numbers.map((number) => askOne(children.get(number), ++questions, question))]);
  };
  const start = (number: number): Promise<string> => {
    const onEnd = (how: string): void => {
      children.delete(number);
      if (state === 'running') restart(number, how);
    };
    const child = startChild({ orders: { ...orders, number }, log, ask, onEnd });
    children.set(number, child);
    return child.listening;
  };
  const restart = (number: number, how: string): void => {
    endedAt = [...endedAt.slice(-endingsKept), performance.now()];
    const delayMs = restartDelayMs(endedAt);
    log.error({ process: number, how, delayMs }, 'a process of the service ended unexpectedly');
    if (delayMs === undefined) {
      die({ reason: `The processes of the service end again and again, at last: ${how}.`, exitCode: 1 });
      return;
    }
    const timer = setTimeout(() => {
      restarts.delete(timer);
      // A failure is handled by the `exit` event.
      start(number).catch(() => {});
    }, delayMs);
    restarts.add(timer);
  };
  const stop = async (): Promise<void> => {
    state = 'stopping';
    for (const timer of restarts) clearTimeout(timer);
    await Promise.all([...children.values()].map((child) => stopOne(child, stopMsMax)));
  };

  try {
    const [address = ''] = await Promise.all(numbers.map(start));
    state = 'running';
    return { address, died, stop, ask, answer: (question, answer) => answers.set(question, answer) };
  } catch (error) {
    await stop();
    throw error;
  }
}

type StartChild = {
  orders: Orders;
  log: Logger;
  /** Asks all processes. */
  ask: (question: string) => Promise<unknown[]>;
  /** Receives how the process ended. */
  onEnd: (how: string) => void;
};

function startChild({ orders, log, ask, onEnd }: StartChild): Child {
  const worker = cluster.fork();
  const { promise: listening, resolve, reject } = Promise.withResolvers<string>();
  const { promise: exited, resolve: exit } = Promise.withResolvers<void>();
  const child: Child = { worker, isListening: false, listening, exited, waiting: new Map() };
  let refusal: string | undefined;
  worker.on('message', async (message: ProcessMessage) => {
    if (message.kind === 'joined') tellChild(child, { kind: 'begin', orders });
    else if (message.kind === 'answer') child.waiting.get(message.id)?.(message.answer);
    else if (message.kind === 'question')
      tellChild(child, { kind: 'answers', id: message.id, answers: await ask(message.question) });
    else if (message.kind === 'refused') refusal = message.message;
    else {
      child.isListening = true;
      log.info({ process: orders.number, pid: worker.process.pid }, 'a process of the service answers requests');
      resolve(message.address);
    }
  });
  // Happens when a message is sent to a process that has just ended.
  worker.on('error', (err) => log.debug({ err, process: orders.number }, 'a message did not reach a process'));
  worker.once('exit', (code, signal) => {
    for (const settle of child.waiting.values()) settle(undefined);
    const how = refusal ?? `it ended with ${signal ?? code}`;
    reject(new StartError(refusal ?? `A process of the service did not start: ${how}.`));
    onEnd(how);
    exit();
  });
  return child;
}

function tellChild({ worker }: Child, message: MainMessage): void {
  if (worker.isConnected()) worker.send(message);
}

async function askOne(child: Child | undefined, id: number, question: string): Promise<unknown> {
  if (child?.isListening !== true) return undefined;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const late = setTimeout(resolve, answerMsMax, undefined);
  child.waiting.set(id, resolve);
  tellChild(child, { kind: 'question', id, question });
  const answer = await promise;
  clearTimeout(late);
  child.waiting.delete(id);
  return answer;
}

async function stopOne(child: Child, msMax: number): Promise<void> {
  // A process that does not listen yet has no requests to answer, so kill it at once.
  const late = setTimeout(() => child.worker.process.kill('SIGKILL'), child.isListening ? msMax : 0);
  tellChild(child, { kind: 'stop' });
  await child.exited;
  clearTimeout(late);
}

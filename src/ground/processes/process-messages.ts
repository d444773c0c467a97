/** Messages from the main process to a process that it started. */
export type MainMessage =
  | { kind: 'begin'; orders: Orders }
  | { kind: 'question'; id: number; question: string }
  | { kind: 'answers'; id: number; answers: unknown[] }
  | { kind: 'stop' };

/** Messages from a started process to the main process. */
export type ProcessMessage =
  | { kind: 'joined' }
  | { kind: 'listening'; address: string }
  | { kind: 'refused'; message: string }
  | { kind: 'question'; id: number; question: string }
  | { kind: 'answer'; id: number; answer: unknown };

/** The orders that a process cannot read from the settings. */
export type Orders = { number: number; databaseUrl: string; poolSize: number };

/** The processes of one service, including the own process. */
export type Processes = {
  /** The answers of all processes, including the asking process. A missing or slow process gives undefined. */
  ask(question: string): Promise<unknown[]>;
  /** Sets how this process answers a question. The answer must be cloneable. A rejection counts as no answer. */
  answer(question: string, answer: () => Promise<unknown>): void;
};

/** Longer than a process needs to find that the database does not answer. */
export const answerMsMax = 3_000;

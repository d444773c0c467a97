/** What the main process tells one that it started. */
export type MainMessage =
  | { kind: 'begin'; orders: Orders }
  | { kind: 'question'; id: number; question: string }
  | { kind: 'answers'; id: number; answers: unknown[] }
  | { kind: 'stop' };

/** What a started process tells the main one. */
export type ProcessMessage =
  | { kind: 'joined' }
  | { kind: 'listening'; address: string }
  | { kind: 'refused'; message: string }
  | { kind: 'question'; id: number; question: string }
  | { kind: 'answer'; id: number; answer: unknown };

/** What a process cannot know from the settings. */
export type Orders = { number: number; databaseUrl: string; poolSize: number };

/** The processes of one service, as each of them sees the others and itself. */
export type Processes = {
  /** What every one answers, also the one that asks; undefined in the place of one that is not there or takes too long. */
  ask(question: string): Promise<unknown[]>;
  /** What this one answers from now on: a promise of what can be cloned; one that fails counts as no answer. */
  answer(question: string, answer: () => Promise<unknown>): void;
};

/** Longer than a process takes to find that its own database does not answer. */
export const answerMsMax = 3_000;

import { Worker } from 'node:worker_threads';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { firstCodePoints } from '../lib/text.ts';
import type { PasswordStrength } from './schema.ts';

export type Judged = {
  /** What guessers know of the password's owner, such as name and address. */
  about: readonly (string | null | undefined)[];
  /** The field of the body that it came in. */
  field: 'password' | 'newPassword';
};

export type PasswordJudge = {
  /**
   * How hard a password is to guess, for the answer that says it was taken; undefined when that cannot be told for now.
   * Throws 400 `request.invalid` for one that is below the operator's least score.
   */
  judge(password: string, { about, field }: Judged): Promise<PasswordStrength | undefined>;
  close(): Promise<void>;
};

export type JudgeOptions = { minScore: number | undefined; onFault?: (error: Error) => void };

type Verdict = { strength: PasswordStrength } | { error: Error };

/** What guessing the first of them takes says enough; the time grows with the square of their number. */
const codePointsMax = 64;
const waitingMax = 100;
/** A day has few new passwords: between them the 60 MB of dictionaries go back. */
const idleMilliseconds = 60_000;

/**
 * Judges passwords with zxcvbn in a thread of its own, which starts with the first one and ends when none comes for a minute:
 * loading the dictionaries takes half a second, a long password some 50 ms, and neither may hold up other requests.
 */
export function openPasswordJudge({ minScore, onFault = () => {} }: JudgeOptions): PasswordJudge {
  const waiting: ((verdict: Verdict) => void)[] = [];
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  const start = (): Worker => {
    const started = new Worker(new URL('./strength-worker.ts', import.meta.url));
    // It answers in order.
    started.on('message', (strength: PasswordStrength) => waiting.shift()?.({ strength }));
    started.on('error', onFault);
    started.on('exit', () => {
      if (worker !== started) return;
      worker = undefined;
      for (const answer of waiting.splice(0)) answer({ error: new Error('the thread that judges passwords ended') });
    });
    return started;
  };
  const stop = (): void => {
    worker?.terminate();
    worker = undefined;
  };

  const ask = async (password: string, about: Judged['about']): Promise<Verdict> => {
    if (waiting.length >= waitingMax) return { error: new Error('too many passwords wait to be judged') };
    clearTimeout(idle);
    worker ??= start();
    // The process stays for as long as someone waits.
    worker.ref();
    const verdict = await new Promise<Verdict>((resolve) => {
      waiting.push(resolve);
      worker?.postMessage({ password: firstCodePoints(password, codePointsMax), about: partsOf(about) });
    });
    if (waiting.length === 0) {
      worker?.unref();
      idle = setTimeout(stop, idleMilliseconds).unref();
    }
    return verdict;
  };

  return {
    judge: async (password, { about, field }) => {
      const verdict = await ask(password, about);
      if ('strength' in verdict) {
        const { score, warning, suggestions } = verdict.strength;
        if (minScore === undefined || score >= minScore) return verdict.strength;
        const advice = [warning, ...suggestions].filter(Boolean).join(' ');
        throw invalidRequest({ path: `body.${field}`, message: `is too easy to guess. ${advice}`.trim() });
      }
      // Advice may fail; a limit may not be passed over.
      if (minScore === undefined) return undefined;
      throw new AppError('unavailable', {}, { headers: { 'retry-after': '5' }, cause: verdict.error });
    },
    close: async () => {
      clearTimeout(idle);
      if (worker === undefined) return;
      await worker.terminate();
    },
  };
}

/** An address by its parts too: `ann.example@acme.org` is guessed as `ann`, `example`, `acme`. */
function partsOf(about: Judged['about']): string[] {
  const known = about.filter((text) => text != null).map((text) => firstCodePoints(text, codePointsMax));
  return [...new Set(known.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]))].filter(
    (part) => part.length > 2,
  );
}

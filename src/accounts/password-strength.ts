import { AppError, invalidRequest } from '../lib/errors.ts';
import { firstCodePoints } from '../lib/text.ts';
import { openWorkerPool } from '../platform/worker-pool.ts';
import type { PasswordStrength } from './schema.ts';
import type { StrengthQuestion } from './strength-worker.ts';

type Judged = {
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

export type JudgeOptions = { minScore: number | undefined; onFault?: (fault: unknown) => void };

/** What guessing the first of them takes says enough; the time grows with the square of their number. */
const codePointsMax = 64;

/**
 * Judges passwords with zxcvbn in a thread of its own, which is there while passwords are set: loading the dictionaries takes
 * half a second and 60 MB, a long password some 50 ms.
 */
export function openPasswordJudge({ minScore, onFault = () => {} }: JudgeOptions): PasswordJudge {
  const pool = openWorkerPool<StrengthQuestion, PasswordStrength>({
    module: new URL('./strength-worker.ts', import.meta.url),
    threadsMax: 1,
    waitingMax: 100,
  });
  return {
    judge: async (password, { about, field }) => {
      let strength: PasswordStrength;
      try {
        strength = await pool.ask({ password: firstCodePoints(password, codePointsMax), about: partsOf(about) });
      } catch (fault) {
        if (!(fault instanceof AppError)) onFault(fault);
        // Advice may fail; a limit may not be passed over.
        if (minScore === undefined) return undefined;
        throw fault;
      }
      if (minScore === undefined || strength.score >= minScore) return strength;
      const advice = [strength.warning, ...strength.suggestions].filter(Boolean).join(' ');
      throw invalidRequest({ path: `body.${field}`, message: `is too easy to guess. ${advice}`.trim() });
    },
    close: pool.close,
  };
}

/** An address by its parts too: `ann.example@acme.org` is guessed as `ann`, `example`, `acme`. */
function partsOf(about: Judged['about']): string[] {
  const known = about.filter((text) => text != null).map((text) => firstCodePoints(text, codePointsMax));
  return [...new Set(known.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]))].filter(
    (part) => part.length > 2,
  );
}

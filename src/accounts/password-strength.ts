import { AppError, invalidRequest } from '../lib/errors.ts';
import { firstCodePoints } from '../lib/text.ts';
import { openWorkerPool } from '../platform/worker-pool.ts';
import type { PasswordStrength } from './schema.ts';
import type { StrengthQuestion } from './strength-worker.ts';

type Judged = {
  /** Facts that an attacker may know of the password's owner, such as name and address. */
  about: readonly (string | null | undefined)[];
  /** The field of the request body that held the password. */
  field: 'password' | 'newPassword';
};

export type PasswordJudge = {
  /**
   * Judges how hard a password is to guess. Undefined when the judge is overloaded or broken and no minimum is set.
   * Throws 400 `request.invalid` for a password below the operator's minimum score.
   */
  judge(password: string, { about, field }: Judged): Promise<PasswordStrength | undefined>;
  close(): Promise<void>;
};

export type JudgeOptions = { minScore: number | undefined; onFault?: (fault: unknown) => void };

/** Only the first characters are judged: they say enough, and the time grows with the square of the length. */
const codePointsMax = 64;

/**
 * Judges passwords with zxcvbn in a worker thread that lives while passwords are being set. Loading the dictionaries
 * takes half a second and 60 MB; a long password takes some 50 ms.
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
        // Advice is optional. The operator's minimum is not.
        if (minScore === undefined) return undefined;
        throw fault;
      }
      if (minScore === undefined || strength.score >= minScore) return strength;
      const advice = [strength.warning, ...strength.suggestions].filter(Boolean).join(' ');
      throw invalidRequest({ path: `body.${field}`, key: 'too_easy', params: { advice } });
    },
    close: pool.close,
  };
}

/** Adds the parts of each text: an attacker guesses `ann`, `example` and `acme` from `ann.example@acme.org`. */
function partsOf(about: Judged['about']): string[] {
  const known = about.filter((text) => text != null).map((text) => firstCodePoints(text, codePointsMax));
  return [...new Set(known.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]))].filter(
    (part) => part.length > 2,
  );
}

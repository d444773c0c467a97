import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import { firstCodePoints } from '../../ground/lib/text.ts';
import { openWorkerPool } from '../../ground/platform/worker-pool.ts';
import type { PasswordStrength } from './schema.ts';
import type { StrengthQuestion } from './strength-worker.ts';

type RatingContext = {
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
  judge(password: string, { about, field }: RatingContext): Promise<PasswordStrength | undefined>;
  close(): Promise<void>;
};

export type JudgeOptions = { minScore: number | undefined; onFault?: (fault: unknown) => void };

/** Only the first characters are rated, because the time grows with the square of the length. */
const codePointsMax = 64;

/**
 * Judges passwords with zxcvbn in a worker thread. The thread ends some time after its last question, because the
 * dictionaries take 60 MB. Loading them takes half a second, and a long password some 50 ms.
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
        // Without a minimum, a broken judge must not block a new password. With one, it must.
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
function partsOf(about: RatingContext['about']): string[] {
  const known = about.filter((text) => text != null).map((text) => firstCodePoints(text, codePointsMax));
  return [...new Set(known.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]))].filter(
    (part) => part.length > 2,
  );
}

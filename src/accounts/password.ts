import { availableParallelism } from 'node:os';
import type { Options } from '@node-rs/argon2';
import { AppError } from '../lib/errors.ts';
import { inTurns } from '../lib/in-turns.ts';
import { openWorkerPool } from '../platform/worker-pool.ts';
import type { HashQuestion } from './hash-worker.ts';

/**
 * argon2id (RFC 9106), above what OWASP's Password Storage Cheat Sheet asks for: some 45 ms on a core of 2024
 * (`node bench/prove/argon2.ts` prints the table). More memory would harm guessers more, and a small host too.
 */
const argon2id = { algorithm: 2, memoryCost: 32_768, timeCost: 3, parallelism: 1 } as const satisfies Options;
/** With 32 MiB each. The other half of the processors is for requests and the database. */
const atOnceMax = Math.max(1, Math.min(Math.floor(availableParallelism() / 2), 4));
/** Nobody waits much longer than two seconds for their turn; who would is told to come back. */
const waitingMax = 50;
/** Sign-ins that are under way or wait for their turn: the last of them waits for two seconds. */
const admittedMax = 40 * atOnceMax;
/** So that while some are hashed, others ask the database: in a flood too its connections are for all requests. */
const underWayMax = 2 * atOnceMax;

export type Passwords = {
  /** Throws `unavailable` when too many wait already. */
  hash(password: string): Promise<string>;
  /** Without a stored hash the answer is no, at the same cost as a comparison. Throws `unavailable` likewise. */
  matches(storedHash: string | null, password: string): Promise<boolean>;
  /** Whether a hash was made with other parameters than today's: make it anew while the password is at hand. */
  isOutdated(storedHash: string): boolean;
  /**
   * Does what comes to a comparison in the end, unless so much of it is going on that it would come to nothing: then throws
   * `unavailable`, so that a flood of sign-ins asks nothing of the database.
   */
  admit<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

export type PasswordCost = Pick<Options, 'memoryCost' | 'timeCost'>;

/**
 * Hashing in threads of its own, a bounded number at once.
 * @param cost less than ours where nobody's password is at stake
 */
export function openPasswords(cost: PasswordCost = {}): Passwords {
  const options = { ...argon2id, ...cost };
  const currentPrefix = `$argon2id$v=19$m=${options.memoryCost},t=${options.timeCost},p=${options.parallelism}$`;
  const pool = openWorkerPool<HashQuestion, string | boolean>({
    module: new URL('./hash-worker.ts', import.meta.url),
    threadsMax: atOnceMax,
    waitingMax,
  });
  let admitted = 0;
  const inTurn = inTurns(underWayMax);
  const hash = async (password: string) => String(await pool.ask({ password: composed(password), options }));
  return {
    hash,
    matches: async (storedHash, password) => {
      if (storedHash !== null) return (await pool.ask({ password: composed(password), storedHash })) === true;
      await hash(password);
      return false;
    },
    isOutdated: (storedHash) => !storedHash.startsWith(currentPrefix),
    admit: async (work) => {
      if (admitted >= admittedMax) throw new AppError('unavailable', {}, { headers: { 'retry-after': '5' } });
      admitted++;
      try {
        return await inTurn(work);
      } finally {
        admitted--;
      }
    },
    close: pool.close,
  };
}

/** Keyboards differ in whether `é` is one code point or two. */
function composed(password: string): string {
  return password.normalize('NFC');
}

import { availableParallelism } from 'node:os';
import type { Options } from '@node-rs/argon2';
import { AppError } from '../../ground/lib/errors.ts';
import { inTurns } from '../../ground/lib/in-turns.ts';
import { openWorkerPool } from '../../ground/platform/worker-pool.ts';
import type { HashQuestion } from './hash-worker.ts';

/**
 * argon2id (RFC 9106), above the minimum of OWASP's Password Storage Cheat Sheet: some 45 ms on a core of 2024
 * (`node bench/prove/argon2.ts` prints the table). More memory would slow attackers more, but overload a small host.
 */
const argon2id = { algorithm: 2, memoryCost: 32_768, timeCost: 3, parallelism: 1 } as const satisfies Options;
/** Each hash takes 32 MiB. The other half of the processors serves requests and the database. */
const atOnceMax = Math.max(1, Math.min(Math.floor(availableParallelism() / 2), 4));
/** Keeps the wait near two seconds. Further callers get `unavailable`. */
const waitingMax = 50;
/** Sign-ins that run or wait for their turn. The last of them waits for two seconds. */
const admittedMax = 40 * atOnceMax;
/**
 * Twice the hashing threads: half hash while half query. In a flood most database connections stay free for other
 * requests.
 */
const underWayMax = 2 * atOnceMax;

export type Passwords = {
  /** Throws `unavailable` when too many callers wait already. */
  hash(password: string): Promise<string>;
  /** Returns false, at the cost of a comparison, without a stored hash. Throws `unavailable` as `hash` does. */
  matches(storedHash: string | null, password: string): Promise<boolean>;
  /** Whether a hash has outdated parameters. The caller then rehashes while it has the password. */
  isOutdated(storedHash: string): boolean;
  /**
   * Runs work that ends in a comparison. Throws `unavailable` at once when too much such work waits already, so that a
   * flood of sign-ins does not reach the database.
   */
  admit<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

export type PasswordCost = Pick<Options, 'memoryCost' | 'timeCost'>;

/**
 * Hashes passwords in a bounded pool of worker threads.
 * @param cost a lower cost, where no real password is at stake
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

/** Normalises: some keyboards type `é` as one code point, others as two. */
function composed(password: string): string {
  return password.normalize('NFC');
}

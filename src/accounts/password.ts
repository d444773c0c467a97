import { hash as argonHash, verify as argonVerify, type Options } from '@node-rs/argon2';
import { AppError } from '../lib/errors.ts';

/**
 * argon2id (RFC 9106), above what OWASP's Password Storage Cheat Sheet asks for: some 45 ms on a core of 2024
 * (`node bench/prove/argon2.ts` prints the table). More memory would harm guessers more, and a small host too.
 */
const argon2id = { algorithm: 2, memoryCost: 32_768, timeCost: 3, parallelism: 1 } as const satisfies Options;
const currentPrefix = `$argon2id$v=19$m=${argon2id.memoryCost},t=${argon2id.timeCost},p=${argon2id.parallelism}$`;
/** libuv has four threads, which also read files and resolve names: half of them may hash, with 32 MiB each. */
const atOnceMax = 2;
/** Nobody waits much longer than two seconds for their turn; who would is told to come back. */
const waitingMax = 100;

export type Passwords = {
  hash(password: string): Promise<string>;
  /** Without a stored hash the answer is no, at the same cost as a comparison. */
  matches(storedHash: string | null, password: string): Promise<boolean>;
  /** Whether a hash was made with other parameters than today's: make it anew while the password is at hand. */
  isOutdated(storedHash: string): boolean;
  /** Whether a password would wait in vain, so that nothing need be asked before. */
  isFull(): boolean;
};

/** Hashing off the event loop, a bounded number at once; throws `unavailable` when too many wait already. */
export function openPasswords(): Passwords {
  const waiting: (() => void)[] = [];
  let running = 0;
  const isFull = () => waiting.length >= waitingMax;
  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (isFull()) throw tooManyWaiting();
    if (running >= atOnceMax) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      // The turn is handed on, so that nobody slips in between.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
  return {
    hash: (password) => inTurn(() => argonHash(composed(password), argon2id)),
    matches: (storedHash, password) =>
      inTurn(async () => {
        if (storedHash !== null) return argonVerify(storedHash, composed(password));
        await argonHash(composed(password), argon2id);
        return false;
      }),
    isOutdated: (storedHash) => !storedHash.startsWith(currentPrefix),
    isFull,
  };
}

export function tooManyWaiting(): AppError {
  return new AppError('unavailable', {}, { headers: { 'retry-after': '5' } });
}

/** Keyboards differ in whether `é` is one code point or two. */
function composed(password: string): string {
  return password.normalize('NFC');
}

import { hash as argonHash, verify as argonVerify, type Options } from '@node-rs/argon2';
import { AppError } from '../lib/errors.ts';

/** argon2id (RFC 9106), the first choice of OWASP's Password Storage Cheat Sheet. */
const argon2id: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** libuv has four threads, which also read files and resolve names: half of them may hash, with 19 MiB each. */
const atOnceMax = 2;
const waitingMax = 500;

export type Passwords = {
  hash(password: string): Promise<string>;
  /** Without a stored hash the answer is no, at the same cost as a comparison. */
  matches(storedHash: string | null, password: string): Promise<boolean>;
};

/** Hashing off the event loop, a bounded number at once; throws `unavailable` when too many wait already. */
export function openPasswords(): Passwords {
  const waiting: (() => void)[] = [];
  let running = 0;
  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (waiting.length >= waitingMax) throw new AppError('unavailable', {}, { headers: { 'retry-after': '5' } });
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
  };
}

/** Keyboards differ in whether `é` is one code point or two. */
function composed(password: string): string {
  return password.normalize('NFC');
}

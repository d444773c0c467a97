import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tMaxSubstitutions: 10 });
/** Rating the first 64 characters is enough: so long a beginning decides the score. */
const lengthMax = 64;

/** How hard a password is to guess, 0 to 4. The service rates it in the same way, and knows English words as well. */
export function strengthOf(password: string): number {
  return zxcvbn.check(password.slice(0, lengthMax)).score;
}

import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tMaxSubstitutions: 10 });
/** What guessing the first of them takes says enough. */
const lengthMax = 64;

/** How hard a password is to guess, 0 to 4, as the service judges it but for English words. */
export function strengthOf(password: string): number {
  return zxcvbn.check(password.slice(0, lengthMax)).score;
}

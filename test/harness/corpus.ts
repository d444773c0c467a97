import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, test } from 'vitest';

/**
 * Tests over the corpus, real mail that is not in the repository. Its folder is `CORPUS_DIR`, or the usual place; an
 * empty CORPUS_DIR says that there is none. Without the folder the tests are skipped and say so. If CI sets CORPUS_DIR
 * and the folder is missing, they fail.
 */
export function describeCorpus(name: string, tests: (corpus: string) => void): void {
  const { CI, CORPUS_DIR } = process.env;
  const corpus = resolve(CORPUS_DIR || '../shared/corpus');
  if (CORPUS_DIR !== '' && existsSync(corpus)) return void describe(name, () => tests(corpus));
  const reason = `no mail corpus is at ${corpus}, or CORPUS_DIR is empty`;
  test(name, ({ skip }) => {
    if (CI && CORPUS_DIR) throw new Error(reason);
    skip(reason);
  });
}

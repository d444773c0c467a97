import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, test } from 'vitest';

/**
 * Tests over the corpus, real mail that is not in the repository. Its folder is `CORPUS_DIR`, or the usual place.
 * Without the folder the tests are skipped and say so. If CI sets CORPUS_DIR and the folder is missing, they fail.
 */
export function describeCorpus(name: string, tests: (corpus: string) => void): void {
  const { CI, CORPUS_DIR } = process.env;
  const corpus = resolve(CORPUS_DIR ?? '../shared/corpus');
  if (existsSync(corpus)) return void describe(name, () => tests(corpus));
  const reason = `the mail corpus is not at ${corpus}: set CORPUS_DIR to where it is`;
  test(name, ({ skip }) => {
    if (CI && CORPUS_DIR) throw new Error(reason);
    skip(reason);
  });
}

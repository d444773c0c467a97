import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, test } from 'vitest';

/**
 * Tests over the corpus, real mail that is no part of the repository: at `CORPUS_DIR`, or where it usually lies. Without it
 * they are skipped and say so; but when CI names a folder and it is not there they fail, as they are what it is named for.
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

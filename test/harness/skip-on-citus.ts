import { inject, type TestContext } from 'vitest';

/** Skips a test that cannot run on a cluster (`CITUS`). Vitest prints the reason, a sentence, beside it. */
export function skipOnCitus({ skip }: Pick<TestContext, 'skip'>, reason: string): void {
  skip(inject('nodeUrls').length > 1, reason);
}

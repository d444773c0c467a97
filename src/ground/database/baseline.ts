import { createHash } from 'node:crypto';
import { StartError } from '../lib/start-error.ts';

/** The last migration of the baseline: files up to this one make the schema that all former migrations made. */
export const baselineEnd = '009_operations.sql';

/** The last of the former migrations, whose names a database may still have. Later migrations sort after it. */
const formerEnd = '097_kept_silence.sql';
const formerNames = '80efdfcec3b2736ad6bff307db24a506aa82429c9a03275311c4d024a58a5f40';
/** The last commit with the former migrations. */
const commitBefore = '4c2da5b40fa96127f46fa0b1b9e3069695470dbe';

/**
 * The names of migrations that ran, with those of the baseline in the place of all the former ones.
 * Throws a `StartError` if only some of the former ones ran.
 * @param known the migrations of this release
 * @param subject begins the sentence of the error
 */
export function sinceBaseline(ran: readonly string[], known: readonly string[], subject: string): string[] {
  const baseline = known.filter((name) => name <= baselineEnd);
  const former = ran.filter((name) => name <= formerEnd && !baseline.includes(name));
  if (former.length === 0) return [...ran];
  if (createHash('sha256').update(former.toSorted().join()).digest('hex') !== formerNames)
    throw new StartError(
      `${subject} is of a time before the migrations were joined: ` +
        `take it through commit ${commitBefore} of Kontor first, which runs the rest of them.`,
    );
  return [...new Set([...baseline, ...ran.filter((name) => !former.includes(name))])].toSorted();
}

import { isDatabaseAway, refusalOf } from '../../ground/database/faults.ts';

/** Something that an import could not take. */
export type Problem = { file: string; line: number; reason: string };

/** A reason for which a record is refused. Its sentence is for the person who imports. */
export class RefusedRecord extends Error {
  /** Where in the record, if not at its beginning. */
  readonly line: number | undefined;

  constructor(reason: string, line?: number) {
    super(reason);
    this.line = line;
  }
}

const keptMax = 1_000;

export type ProblemList = {
  /** The first thousand. */
  kept: Problem[];
  count: number;
  add(problem: Problem): void;
  /** Notes why a record failed. Throws errors that say nothing about the record. */
  addError(at: { file: string; line: number }, error: unknown): void;
};

export function problemList(): ProblemList {
  const list: ProblemList = {
    kept: [],
    count: 0,
    add: (problem) => {
      list.count += 1;
      if (list.kept.length < keptMax) list.kept.push(problem);
    },
    addError: ({ file, line }, error) => {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      const at = error instanceof RefusedRecord ? (error.line ?? line) : line;
      list.add({ file, line: at, reason });
    },
  };
  return list;
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof RefusedRecord) return error.message;
  if (isDatabaseAway(error)) return undefined;
  // Values that are nested too deeply for JSON.
  if (error instanceof RangeError) return 'is nested too deeply';
  return refusalOf(error);
}

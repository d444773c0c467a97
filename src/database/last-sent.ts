import { together } from './db.ts';

/**
 * The result of a transaction from the statements that it sends last. The commit travels with them, instead of waiting
 * for their results. The transaction thus holds its locks for one round trip less.
 */
export class LastSent<Result> {
  readonly answer: Promise<Result>;

  constructor(answer: Promise<Result>) {
    this.answer = answer;
    // The caller of the transaction gets this error, so here it must not count as an unhandled rejection.
    answer.catch(() => {});
  }

  static of<Result>(answer: Result): LastSent<Result> {
    return new LastSent(Promise.resolve(answer));
  }

  /** `shape` must not throw: the transaction may have committed when it runs. */
  map<Mapped>(shape: (result: Result) => Mapped): LastSent<Mapped> {
    return new LastSent(this.answer.then(shape));
  }
}

/** Like `together`, for the statements that a transaction sends last. */
export function lastTogether<const Sent extends readonly unknown[]>(sent: Sent) {
  return new LastSent(together(sent));
}

import { together } from './db.ts';

/**
 * What a transaction answers by the statements that it sends last: the commit is sent along with them, instead of when their
 * answers are there. So whatever holds a lock that others want holds it a round trip less.
 */
export class LastSent<Result> {
  readonly answer: Promise<Result>;

  constructor(answer: Promise<Result>) {
    this.answer = answer;
    // Whoever waits for the commit is told of it.
    answer.catch(() => {});
  }

  static of<Result>(answer: Result): LastSent<Result> {
    return new LastSent(Promise.resolve(answer));
  }

  /** Of what can not fail: by then it is committed. */
  map<Mapped>(shape: (result: Result) => Mapped): LastSent<Mapped> {
    return new LastSent(this.answer.then(shape));
  }
}

/** As `together`, of what a transaction sends last. */
export function lastTogether<const Sent extends readonly unknown[]>(sent: Sent) {
  return new LastSent(together(sent));
}

/** A fault that keeps the service from starting: the message says in one line what is wrong and what to do, and is all that the operator is shown. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

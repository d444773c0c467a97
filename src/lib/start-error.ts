/** Keeps the service from starting. The operator sees only the message, so it says what is wrong and what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Keeps the service from starting. The operator sees only the message, so it names the fault and the remedy. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

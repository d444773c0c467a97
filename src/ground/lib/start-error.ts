/** Keeps the service from starting. The operator sees only the message, so it names the fault and the remedy. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}

/** A command was typed wrongly. The message ends with its usage. */
export class UsageError extends StartError {
  override readonly name = 'UsageError';
}

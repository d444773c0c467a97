/** Throws on an interrupt, so that the run's processes end and its files are removed. */
export function orInterrupted<Result>(work: Promise<Result>): Promise<Result> {
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error(`${signal}: stopped`)));
  });
  return Promise.race([work, interrupted]);
}

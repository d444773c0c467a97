/**
 * One query serves all gauges of a scrape. When it fails, the answer is undefined, so that the scrape still delivers
 * the other metrics, which matter most while the database is away.
 */
export function sharedAnswer<Answer>(ask: () => Promise<Answer>): () => Promise<Answer | undefined> {
  let asked: Promise<Answer | undefined> | undefined;
  return () => {
    asked ??= ask()
      .catch(() => undefined)
      .finally(() => {
        asked = undefined;
      });
    return asked;
  };
}

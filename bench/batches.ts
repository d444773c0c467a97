type Waiting<Item, Answer> = { item: Item; resolve: (answer: Answer) => void; reject: (error: unknown) => void };

/** With a single batch under way, the process would wait for PostgreSQL and PostgreSQL for the process. */
const underWayMax = 2;

/**
 * Gathers what is asked while batches are under way, and writes it together as the next batch.
 * @param write answers each item, in the order of the items
 */
export function inBatches<Item, Answer>(
  write: (items: readonly Item[]) => Promise<readonly Answer[]>,
): (item: Item) => Promise<Answer> {
  let waiting: Waiting<Item, Answer>[] = [];
  let underWay = 0;
  const leave = async (): Promise<void> => {
    if (underWay === underWayMax || waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    underWay++;
    try {
      const answers = await write(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    underWay--;
    void leave();
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // All requests of one turn of the event loop have arrived by then.
      setImmediate(() => void leave());
    });
}

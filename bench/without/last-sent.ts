import { LastSent } from '../../src/database/db.ts';
import { runInTx as runWithLastSent } from '../../src/database/transaction.ts';

export const runInTx: typeof runWithLastSent = (options, work) =>
  runWithLastSent(options, async (tx) => {
    const result = await work(tx);
    return result instanceof LastSent ? result.answer : result;
  });

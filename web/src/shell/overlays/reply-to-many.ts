import type { Ticket } from '../../api/client.ts';
import type { Outcome } from '../../tickets/changes.ts';
import { refreshAskedLists } from '../../tickets/list-places.ts';
import { changeByIds } from '../../tickets/send-change.ts';
import { errorWords } from '../../words/words.ts';

const atOnceMax = 500;
/** Repeats that get no further. The service leaves tickets for the next request when it has no time. */
const idleRepeatsMax = 3;

type Options = { savedReplyId: string; key: string; onProgress: (done: number) => void };

/**
 * Answers tickets with a saved reply, or runs its actions where it has no text.
 * @param key with the same key, a repeat answers only the tickets that have no answer yet
 * @throws where the service cannot be reached, or refuses the whole request
 */
export async function replyToMany(
  workspaceId: string,
  tickets: readonly Ticket[],
  { savedReplyId, key, onProgress }: Options,
): Promise<Outcome> {
  const refusals: Outcome['refusals'] = [];
  for (let from = 0; from < tickets.length; from += atOnceMax) {
    const some = tickets.slice(from, from + atOnceMax);
    const ask = async () => {
      const body = { ids: some.map(({ id }) => id), savedReplyId };
      const results = await changeByIds(workspaceId, body, `${key}-${from}`);
      const errors = new Map(results.flatMap(({ id, error }) => (error === undefined ? [] : [[id, error] as const])));
      const leftCount = results.filter(({ status }) => status === 503).length;
      onProgress(from + some.length - leftCount);
      return { errors, leftCount };
    };
    const errors = await askUntilDone(ask);
    for (const { id, ticketNumber } of some) {
      const error = errors.get(id);
      if (error !== undefined) refusals.push({ id, ticketNumber, reason: reasonOf(error) });
    }
  }
  refreshAskedLists(workspaceId);
  return { changedCount: tickets.length - refusals.length, refusals };
}

async function askUntilDone<Errors>(ask: () => Promise<{ errors: Errors; leftCount: number }>): Promise<Errors> {
  let { errors, leftCount } = await ask();
  for (let idle = 0; leftCount > 0 && idle < idleRepeatsMax; ) {
    const before = leftCount;
    ({ errors, leftCount } = await ask());
    idle = leftCount < before ? 0 : idle + 1;
  }
  return errors;
}

type Refusal = { key: string; fallbackMessage: string; params: Record<string, unknown> };

function reasonOf(error: Refusal): string {
  const { variables } = error.params;
  return Array.isArray(variables) ? `${errorWords(error)} ${variables.join(', ')}` : errorWords(error);
}

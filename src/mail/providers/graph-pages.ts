import type { FoundMail } from '../provider.ts';
import { senseless } from './graph-faults.ts';
import { folderKinds, type MailFolder } from './graph-folders.ts';
import type { GraphRequests } from './graph-requests.ts';
import { asObject } from './provider-request.ts';

/** A page of a list or of a delta round. Only the last page of a delta round has a deltaLink. */
export type GraphPage = {
  items: Record<string, unknown>[];
  nextLink: string | undefined;
  deltaLink: string | undefined;
};

export async function readPage(requests: GraphRequests, target: string, prefer?: string): Promise<GraphPage> {
  const answer = await requests.askJson(target, prefer === undefined ? {} : { prefer });
  if (!Array.isArray(answer.value)) throw senseless('no_list');
  return {
    items: answer.value.map(asObject).filter((item) => item !== undefined),
    nextLink: linkIn(answer['@odata.nextLink']),
    deltaLink: linkIn(answer['@odata.deltaLink']),
  };
}

function linkIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Returns each mail of a page once. A removed mail may have been moved before we read it, so it is a candidate. The
 * mail may even be back in the folder. With immutable ids, Graph lists a mail that moved out and in again between two
 * rounds only once, as removed (microsoft-graph-docs#21752).
 */
export function foundIn({ items }: GraphPage, folder: MailFolder): FoundMail[] {
  const found = new Map<string, FoundMail>();
  for (const { id, '@removed': removed } of items) {
    if (typeof id !== 'string') continue;
    const mail: FoundMail = { providerId: id, folder: folderKinds[folder] };
    if (removed === undefined) found.set(id, mail);
    else if (!found.has(id)) found.set(id, { ...mail, isCandidate: true });
  }
  return [...found.values()];
}

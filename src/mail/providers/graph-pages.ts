import type { FoundMail } from '../provider.ts';
import { senseless } from './graph-faults.ts';
import { folderKinds, type MailFolder } from './graph-folders.ts';
import type { GraphRequests } from './graph-requests.ts';
import { asObject } from './provider-request.ts';

/** A page of a list, or of a delta round, whose last page has a deltaLink. */
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
 * The mails of a page, each once. A removed mail may have been filed before it was read, so it is a candidate. It may even be
 * back in the folder: with immutable ids, a mail that is moved out and in again between two rounds is listed as removed, and
 * never again (microsoft-graph-docs#21752).
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

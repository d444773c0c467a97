import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { inWorkspace, type Ticket } from '../api/client.ts';
import { byCursor } from '../api/pages.ts';
import type { operations } from '../api/schema.d.ts';
import { spokenLocale, words, wordsOr } from '../words/words.ts';

export const rulesKey = (workspaceId: string) => ['workspace', workspaceId, 'rules'] as const;

/** The rules of the workspace, in the order in which they run. */
export function rulesQuery(workspaceId: string) {
  return queryOptions({
    queryKey: rulesKey(workspaceId),
    queryFn: () => inWorkspace(workspaceId).GET('/rules'),
    staleTime: 60_000,
  });
}

type Runs = operations['listRuleRunsOfTicket']['responses'][200]['content']['application/json'];
export type RuleRun = Runs['items'][number];
export type AutoAnswer =
  operations['listAutomaticRepliesOfTicket']['responses'][200]['content']['application/json'][number];

/** The runs of rules on a ticket, the newest first. */
export function ticketRunsQuery(workspaceId: string, { id: ticketId }: Pick<Ticket, 'id'>) {
  return infiniteQueryOptions({
    queryKey: [...rulesKey(workspaceId), 'of ticket', ticketId],
    ...byCursor,
    queryFn: ({ pageParam: cursor }) =>
      inWorkspace(workspaceId).GET('/tickets/{ticketId}/rule-runs', {
        path: { ticketId },
        query: cursor === undefined ? {} : { cursor },
      }),
  });
}

/** What a run came to. */
export function runWords({ outcome, did }: Pick<RuleRun, 'outcome' | 'did'>): string {
  if (outcome !== 'done') return words(`run.${outcome}`);
  if (did.length === 0) return words('run.nothing');
  const done = [...new Set(did.map(doneWords))];
  return new Intl.ListFormat(spokenLocale()).format(done);
}

/** How a run says that it sent no mail, before the reason. */
const noMail = 'no mail: ';

function doneWords(did: string): string {
  return did.startsWith(noMail) ? noReplyWords(did.slice(noMail.length)) : wordsOr(did, `run.did.${did}`);
}

/** That a machine did not answer, and why. */
export function noReplyWords(reason: string): string {
  return words('run.did.noReply', { why: wordsOr(reason, `autoReplies.why.${reason}`) });
}

/** The automatic replies to the mails of a ticket, and why there were none, the newest first. */
export function ticketAutoRepliesQuery(workspaceId: string, { id: ticketId }: Pick<Ticket, 'id'>) {
  return queryOptions({
    queryKey: [...rulesKey(workspaceId), 'automatic replies', ticketId],
    queryFn: () => inWorkspace(workspaceId).GET('/tickets/{ticketId}/automatic-replies', { path: { ticketId } }),
  });
}

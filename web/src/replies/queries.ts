import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { inWorkspace } from '../api/client.ts';
import { byCursor } from '../api/pages.ts';
import type { operations } from '../api/schema.d.ts';

type Page = operations['listSavedReplies']['responses'][200]['content']['application/json'];
export type ListedReply = Page['items'][number];
export type SavedReply = operations['readSavedReply']['responses'][200]['content']['application/json'];
type RenderBody = NonNullable<operations['renderSavedReply']['requestBody']>['content']['application/json'];
/** For which ticket, or for whom, a reply is filled. */
export type ReplyFor = Omit<RenderBody, 'copyFiles'>;

export const repliesKey = (workspaceId: string) => ['workspace', workspaceId, 'replies'] as const;

/** A person's own replies and the shared replies that match. */
export function savedRepliesQuery(workspaceId: string, search: string, sort: 'name' | 'used') {
  return queryOptions({
    queryKey: [...repliesKey(workspaceId), 'list', search, sort],
    queryFn: async () => {
      const wanted = { sort, limit: 100, ...(search.trim() !== '' && { search }) };
      return (await inWorkspace(workspaceId).GET('/saved-replies', { query: wanted })).items;
    },
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  });
}

/** The same by name, page after page. */
export function savedReplyPages(workspaceId: string, search: string) {
  return infiniteQueryOptions({
    queryKey: [...repliesKey(workspaceId), 'pages', search],
    ...byCursor,
    queryFn: ({ pageParam: cursor }) => {
      const query = { ...(search.trim() !== '' && { search }), ...(cursor !== undefined && { cursor }) };
      return inWorkspace(workspaceId).GET('/saved-replies', { query });
    },
    placeholderData: keepPreviousData,
  });
}

export function savedReplyQuery(workspaceId: string, savedReplyId: string) {
  return queryOptions({
    queryKey: [...repliesKey(workspaceId), savedReplyId],
    queryFn: () => inWorkspace(workspaceId).GET('/saved-replies/{savedReplyId}', { path: { savedReplyId } }),
    staleTime: 10_000,
  });
}

/** Fills a reply. @param copyFiles whether its files are copied into the uploads of the person */
export function renderReply(workspaceId: string, savedReplyId: string, replyFor: ReplyFor, copyFiles = true) {
  return inWorkspace(workspaceId).POST('/saved-replies/{savedReplyId}/render', {
    path: { savedReplyId },
    body: { ...replyFor, copyFiles },
  });
}

/** The filled text, before the person decides. */
export function replyPreviewQuery(workspaceId: string, savedReplyId: string, replyFor: ReplyFor) {
  return queryOptions({
    queryKey: [...repliesKey(workspaceId), 'preview', savedReplyId, replyFor],
    queryFn: () => renderReply(workspaceId, savedReplyId, replyFor, false),
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  });
}

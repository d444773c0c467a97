import { ApiError } from '../api/client.ts';
import type { DraftContent } from './draft/draft-content.ts';

/** Saves or sends a text also when somebody has deleted the saved reply that it comes from. Its actions are lost. */
export function withoutLostReply<Rest extends unknown[], Result>(
  put: (content: DraftContent, ...rest: Rest) => Promise<Result>,
): (content: DraftContent, ...rest: Rest) => Promise<Result> {
  return (content, ...rest) =>
    put(content, ...rest).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.key !== 'saved_reply.not_found') throw error;
      return put({ ...content, savedReplyId: null, runActions: false }, ...rest);
    });
}

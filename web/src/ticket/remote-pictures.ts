import { queryClient } from '../api/cache.ts';
import { api, dataOf, inWorkspace } from '../api/client.ts';
import { contactQuery } from './queries.ts';

/** Shows the pictures of a person's mails always, or asks each time. */
export async function setRemotePictures(workspaceId: string, contactId: string, mode: 'always' | 'ask'): Promise<void> {
  await dataOf(
    api.PUT('/v1/workspaces/{workspaceId}/contacts/{contactId}/remote-images', {
      params: { path: { workspaceId, contactId }, header: inWorkspace(workspaceId).header },
      body: { mode },
    }),
  );
  void queryClient.invalidateQueries(contactQuery(workspaceId, contactId));
  await readTicketsAnew(workspaceId);
}

/** The tickets on the screen are read at once, others when they are opened. */
export const readTicketsAnew = (workspaceId: string) =>
  queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'ticket'] });

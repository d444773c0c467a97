import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import { contactQuery } from '../queries.ts';

/** Saves whether pictures in a contact's mails are always shown, or only after a click. */
export async function setRemotePictures(workspaceId: string, contactId: string, mode: 'always' | 'ask'): Promise<void> {
  await inWorkspace(workspaceId).PUT('/contacts/{contactId}/remote-images', { path: { contactId }, body: { mode } });
  void queryClient.invalidateQueries(contactQuery(workspaceId, contactId));
  await readTicketsAnew(workspaceId);
}

/** Fetches the ticket on the screen again at once, and other tickets when they open. */
export const readTicketsAnew = (workspaceId: string) =>
  queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'ticket'] });

import type { FileUrls } from '../files/file-urls.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import type { Message, StoredMessage } from './message-schema.ts';

/** A message as it is answered: each of its files with an address that shows it for some minutes. */
export function presentMessage(fileUrls: FileUrls, workspaceId: WorkspaceId, message: StoredMessage): Message {
  return {
    ...message,
    attachments: message.attachments.map((file) => ({ ...file, url: fileUrls.urlOf(workspaceId, file.id) })),
  };
}

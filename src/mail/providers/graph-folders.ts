/** The folders of a mailbox, by Graph's well-known names, which do not depend on the language. */
import { senseless } from './graph-faults.ts';
import type { GraphRequests } from './graph-requests.ts';

/**
 * The folders with mail for tickets. Reads list sent mail first, because automatic replies follow within seconds: an
 * automatic reply that is taken before its sent mail would open a ticket of its own.
 */
export const mailFolders = ['sentitems', 'inbox'] as const;
export type MailFolder = (typeof mailFolders)[number];

export const folderKinds = { inbox: 'inbox', sentitems: 'sent' } as const satisfies Record<MailFolder, string>;

type FolderName = MailFolder | 'junkemail' | 'deleteditems' | 'recoverableitemsdeletions' | 'drafts';
export type FolderIds = (name: FolderName) => Promise<string>;

/** Requests the id of each folder once. */
export function openFolderIds(requests: GraphRequests): FolderIds {
  const ids = new Map<FolderName, Promise<string>>();
  const ask = async (name: FolderName) => {
    const { id } = await requests.askJson(`/me/mailFolders/${name}?$select=id`);
    if (typeof id !== 'string') throw senseless('no_id');
    return id;
  };
  return (name) => {
    const asked = ids.get(name) ?? ask(name);
    ids.set(name, asked);
    // Request the id again after a failure.
    asked.catch(() => ids.delete(name));
    return asked;
  };
}

/** The folders of a mailbox, by the names that Graph knows in every language. */
import { senseless } from './graph-faults.ts';
import type { GraphRequests } from './graph-requests.ts';

/** Where mail for tickets is. */
export const mailFolders = ['inbox', 'sentitems'] as const;
export type MailFolder = (typeof mailFolders)[number];

export const folderKinds = { inbox: 'inbox', sentitems: 'sent' } as const satisfies Record<MailFolder, string>;

type FolderName = MailFolder | 'junkemail' | 'deleteditems' | 'recoverableitemsdeletions' | 'drafts';
export type FolderIds = (name: FolderName) => Promise<string>;

/** Asks for a folder's id once. */
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
    // What failed is asked again.
    asked.catch(() => ids.delete(name));
    return asked;
  };
}

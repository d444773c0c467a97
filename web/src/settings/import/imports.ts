import { queryOptions } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import type { operations } from '../../api/schema.d.ts';
import { type SentForm, sendForm } from '../../api/send-form.ts';
import { randomId } from '../../lib/random-id.ts';

export type MailImport = operations['listImports']['responses']['200']['content']['application/json'][number];
export type Problem = operations['readImport']['responses']['200']['content']['application/json']['problems'][number];
export type ImportStatus = MailImport['status'];
export const importStatuses: readonly ImportStatus[] = ['closed', 'archived', 'open'];

/** How many files one import may have. */
export const filesMax = 1_000;

const listKey = (workspaceId: string) => ['workspace', workspaceId, 'imports'] as const;
const progressMs = 1_000;

export const isUnderWay = ({ state }: Pick<MailImport, 'state'>): boolean =>
  state === 'running' || state === 'stopping';

/** The newest imports, polled while an import is under way. */
export function importsQuery(workspaceId: string) {
  return queryOptions({
    queryKey: listKey(workspaceId),
    queryFn: () => inWorkspace(workspaceId).GET('/imports'),
    refetchInterval: ({ state: { data } }) => (data?.some(isUnderWay) ? progressMs : false),
  });
}

/** An import with the files and mails that it passed over. The list grows while the import runs. */
export function importQuery(workspaceId: string, { id: importId, passedOver }: MailImport) {
  return queryOptions({
    queryKey: [...listKey(workspaceId), importId, String(passedOver)],
    queryFn: () => inWorkspace(workspaceId).GET('/imports/{importId}', { path: { importId } }),
  });
}

type Start = {
  files: readonly File[];
  status: ImportStatus;
  /** Addresses in one line. */
  own: string;
  onProgress: (share: number) => void;
};

export function startImport(workspaceId: string, { files, status, own, onProgress }: Start): SentForm<MailImport> {
  const form = new FormData();
  for (const file of files) form.append('file', file, file.name);
  const ownAddresses = own.split(/[\s,;]+/).filter((one) => one !== '');
  const query = new URLSearchParams([['status', status], ...ownAddresses.map((one) => ['ownAddress', one])]);
  const path = `/v1/workspaces/${workspaceId}/imports`;
  return sendForm(workspaceId, `${path}?${query}`, { form, key: randomId(), onProgress });
}

export function refreshImports(workspaceId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: listKey(workspaceId) });
}

export async function stopImport(workspaceId: string, importId: string): Promise<void> {
  await inWorkspace(workspaceId).POST('/imports/{importId}/stop', { path: { importId } });
  await refreshImports(workspaceId);
}

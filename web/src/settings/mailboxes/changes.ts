import { useMutation } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import type { paths } from '../../api/schema.d.ts';
import { usePlace } from '../../session/Guard.tsx';
import { mailboxesQuery } from '../../tickets/queries.ts';
import type { Mailbox } from './health.ts';

type Consent =
  paths['/v1/workspaces/{workspaceId}/mailboxes/connect']['post']['requestBody']['content']['application/json'];

/** Begins a consent that leads back to these settings. */
export function beginConsent(workspaceId: string, consent: Omit<Consent, 'returnTo'>) {
  return inWorkspace(workspaceId).POST('/mailboxes/connect', { body: { ...consent, returnTo: 'settings' } });
}

/** Begins a consent, and leaves for the provider's page. */
export function useConsent() {
  const { workspace } = usePlace();
  return useMutation({
    mutationFn: (consent: Omit<Consent, 'returnTo'>) => beginConsent(workspace.id, consent),
    onSuccess: ({ consentUrl }) => window.location.assign(consentUrl),
  });
}

export function useMailboxPlace(mailboxId: string) {
  return { workspaceId: usePlace().workspace.id, path: { mailboxId } };
}

/** Shows a changed mailbox at once. */
function keep(changed: Mailbox, workspaceId: string): void {
  queryClient.setQueryData(mailboxesQuery(workspaceId).queryKey, (mailboxes) =>
    mailboxes?.map((mailbox) => (mailbox.id === changed.id ? changed : mailbox)),
  );
}

export function useStateChange(mailboxId: string) {
  const { workspaceId, path } = useMailboxPlace(mailboxId);
  return useMutation({
    mutationFn: (verb: 'pause' | 'resume' | 'sync') =>
      inWorkspace(workspaceId).POST(`/mailboxes/{mailboxId}/${verb}`, { path }),
    onSuccess: (changed) => keep(changed, workspaceId),
  });
}

export function useCheck(mailboxId: string) {
  const { workspaceId, path } = useMailboxPlace(mailboxId);
  return useMutation({
    mutationFn: () => inWorkspace(workspaceId).POST('/mailboxes/{mailboxId}/check', { path }),
    // A check makes missing watches.
    onSuccess: () => queryClient.invalidateQueries(mailboxesQuery(workspaceId)),
  });
}

type Place = ReturnType<typeof useMailboxPlace>;
export type Folders = Awaited<ReturnType<typeof readFolders>>;

export function readFolders({ workspaceId, path }: Place) {
  return inWorkspace(workspaceId).GET('/mailboxes/{mailboxId}/folders', { path });
}

type FolderChoices = { inboxPaths: string[] } & Pick<Folders, 'sentPath' | 'afterIntake' | 'movePath'>;

export function chooseFolders({ workspaceId, path }: Place, body: FolderChoices) {
  return inWorkspace(workspaceId).PUT('/mailboxes/{mailboxId}/folders', { path, body });
}

export function readIntake({ workspaceId, path }: Place) {
  return inWorkspace(workspaceId).GET('/mailboxes/{mailboxId}/intake', { path });
}

export function useDisconnect(mailboxId: string) {
  const { workspaceId, path } = useMailboxPlace(mailboxId);
  return useMutation({
    mutationFn: () => inWorkspace(workspaceId).DELETE('/mailboxes/{mailboxId}', { path }),
    onSuccess: () =>
      queryClient.setQueryData(mailboxesQuery(workspaceId).queryKey, (mailboxes) =>
        mailboxes?.filter(({ id }) => id !== mailboxId),
      ),
  });
}

export type Defaults = Pick<Mailbox, 'name' | 'defaultAssigneeId' | 'defaultTags' | 'signature' | 'whenAnswered'>;

export function useSaveDefaults(mailboxId: string) {
  const { workspaceId, path } = useMailboxPlace(mailboxId);
  return async (body: Defaults) =>
    keep(await inWorkspace(workspaceId).PATCH('/mailboxes/{mailboxId}', { path, body }), workspaceId);
}

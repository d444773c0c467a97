import { useMutation } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { api, dataOf, inWorkspace } from '../../api/client.ts';
import type { paths } from '../../api/schema.d.ts';
import { usePlace } from '../../session/Guard.tsx';
import { mailboxesQuery } from '../../tickets/queries.ts';
import type { Mailbox } from './health.ts';

type Consent =
  paths['/v1/workspaces/{workspaceId}/mailboxes/connect']['post']['requestBody']['content']['application/json'];

/** Begins a consent that leads back to these settings. */
export function beginConsent(workspaceId: string, consent: Omit<Consent, 'returnTo'>) {
  return dataOf(
    api.POST('/v1/workspaces/{workspaceId}/mailboxes/connect', {
      params: inWorkspace(workspaceId),
      body: { ...consent, returnTo: 'settings' },
    }),
  );
}

/** Begins a consent, and leaves for the provider's page. */
export function useConsent() {
  const { workspace } = usePlace();
  return useMutation({
    mutationFn: (consent: Omit<Consent, 'returnTo'>) => beginConsent(workspace.id, consent),
    onSuccess: ({ consentUrl }) => window.location.assign(consentUrl),
  });
}

export function useParams(mailboxId: string) {
  const { workspace } = usePlace();
  const { header } = inWorkspace(workspace.id);
  return { path: { workspaceId: workspace.id, mailboxId }, header };
}

/** Shows a changed mailbox at once. */
function keep(changed: Mailbox, workspaceId: string): void {
  queryClient.setQueryData(mailboxesQuery(workspaceId).queryKey, (mailboxes) =>
    mailboxes?.map((mailbox) => (mailbox.id === changed.id ? changed : mailbox)),
  );
}

export function useStateChange(mailboxId: string) {
  const params = useParams(mailboxId);
  return useMutation({
    mutationFn: (verb: 'pause' | 'resume' | 'sync') =>
      dataOf(api.POST(`/v1/workspaces/{workspaceId}/mailboxes/{mailboxId}/${verb}`, { params })),
    onSuccess: (changed) => keep(changed, params.path.workspaceId),
  });
}

export function useCheck(mailboxId: string) {
  const params = useParams(mailboxId);
  return useMutation({
    mutationFn: () => dataOf(api.POST('/v1/workspaces/{workspaceId}/mailboxes/{mailboxId}/check', { params })),
    // A check makes missing watches.
    onSuccess: () => queryClient.invalidateQueries(mailboxesQuery(params.path.workspaceId)),
  });
}

type Params = ReturnType<typeof useParams>;
const foldersPath = '/v1/workspaces/{workspaceId}/mailboxes/{mailboxId}/folders';
export type Folders = Awaited<ReturnType<typeof readFolders>>;

export function readFolders(params: Params) {
  return dataOf(api.GET(foldersPath, { params }));
}

type FolderChoices = { inboxPaths: string[] } & Pick<Folders, 'sentPath' | 'afterIntake' | 'movePath'>;

export function chooseFolders(params: Params, body: FolderChoices) {
  return dataOf(api.PUT(foldersPath, { params, body }));
}

export function readIntake(params: Params) {
  return dataOf(api.GET('/v1/workspaces/{workspaceId}/mailboxes/{mailboxId}/intake', { params }));
}

export function useDisconnect(mailboxId: string) {
  const params = useParams(mailboxId);
  return useMutation({
    mutationFn: () => dataOf(api.DELETE('/v1/workspaces/{workspaceId}/mailboxes/{mailboxId}', { params })),
    onSuccess: () =>
      queryClient.setQueryData(mailboxesQuery(params.path.workspaceId).queryKey, (mailboxes) =>
        mailboxes?.filter(({ id }) => id !== mailboxId),
      ),
  });
}

export type Defaults = Pick<Mailbox, 'name' | 'defaultAssigneeId' | 'defaultTags' | 'signature'>;

export function useSaveDefaults(mailboxId: string) {
  const params = useParams(mailboxId);
  return async (body: Defaults) =>
    keep(
      await dataOf(api.PATCH('/v1/workspaces/{workspaceId}/mailboxes/{mailboxId}', { params, body })),
      params.path.workspaceId,
    );
}

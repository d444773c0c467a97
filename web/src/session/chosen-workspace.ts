import type { Workspace } from '../api/client.ts';

const key = 'kontor.workspace';

/** The id of the last workspace in this browser. The person may no longer be a member of it. */
export function rememberedWorkspace(): string | null {
  return localStorage.getItem(key);
}

/** The last workspace in this browser, if the person is still a member; otherwise their first. */
export function chosenWorkspace(workspaces: readonly Workspace[]): Workspace | undefined {
  const chosen = rememberedWorkspace();
  return workspaces.find(({ id }) => id === chosen) ?? workspaces[0];
}

/** Chooses the workspace that the address names, as the address of a notification in a new tab does. */
export function chooseNamedWorkspace(): void {
  const url = new URL(window.location.href);
  const named = url.searchParams.get('workspace');
  if (named === null) return;
  chooseWorkspace(named);
  url.searchParams.delete('workspace');
  window.history.replaceState(window.history.state, '', url);
}

export function chooseWorkspace(workspaceId: string): void {
  localStorage.setItem(key, workspaceId);
}

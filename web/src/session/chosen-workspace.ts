import type { Workspace } from '../api/client.ts';

const key = 'kontor.workspace';

/** The workspace last chosen in this browser, while the person is in it; else the first. */
export function chosenWorkspace(workspaces: readonly Workspace[]): Workspace | undefined {
  const chosen = localStorage.getItem(key);
  return workspaces.find(({ id }) => id === chosen) ?? workspaces[0];
}

export function chooseWorkspace(workspaceId: string): void {
  localStorage.setItem(key, workspaceId);
}

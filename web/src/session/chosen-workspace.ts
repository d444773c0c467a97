import type { Workspace } from '../api/client.ts';

const key = 'kontor.workspace';

/** The id of the workspace where this browser was last. Whose it is, only the service knows. */
export function rememberedWorkspace(): string | null {
  return localStorage.getItem(key);
}

/** The workspace last chosen in this browser, while the person is in it; else the first. */
export function chosenWorkspace(workspaces: readonly Workspace[]): Workspace | undefined {
  const chosen = rememberedWorkspace();
  return workspaces.find(({ id }) => id === chosen) ?? workspaces[0];
}

export function chooseWorkspace(workspaceId: string): void {
  localStorage.setItem(key, workspaceId);
}

import type { App } from '../app.ts';

export async function sweepMailboxes(_app: App): Promise<void> {
  throw new Error('not built');
}

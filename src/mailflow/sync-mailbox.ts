import type { App } from '../app.ts';
import type { Jobs } from '../catalog/jobs.ts';

export async function syncMailbox(_app: App, _named: Jobs['mailbox.sync']): Promise<void> {
  throw new Error('not built');
}

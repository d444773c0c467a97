import type { App } from '../app.ts';
import type { Jobs } from '../catalog/jobs.ts';

export async function stopMailbox(_app: App, _named: Jobs['mailbox.stop']): Promise<void> {
  throw new Error('not built');
}

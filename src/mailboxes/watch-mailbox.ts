import type { App } from '../app.ts';
import type { Jobs } from '../catalog/jobs.ts';

export async function watchMailbox(_app: App, _named: Jobs['mailbox.watch']): Promise<void> {
  throw new Error('not built');
}

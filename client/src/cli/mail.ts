import type { KontorClient } from '../index.ts';
import { UsageError } from './faults.ts';
import type { Run } from './run.ts';

/** The id of the mailbox with an address; null for `none`, which means the mail server of the service. */
export async function mailboxNamed(kontor: KontorClient, address: string, signal: AbortSignal): Promise<string | null> {
  if (address === 'none') return null;
  const mailboxes = await kontor.get('/v1/workspaces/{workspaceId}/mailboxes', { signal });
  const found = mailboxes.find((mailbox) => mailbox.address.toLowerCase() === address.toLowerCase());
  if (found !== undefined) return found.id;
  const known = mailboxes.map((mailbox) => mailbox.address).join(', ') || 'none';
  throw new UsageError(`The workspace has no mailbox ${address}. It has: ${known}.`);
}

/** Says that a mail reaches nobody, where the service has neither a mailbox for it nor a mail server. */
export async function tellOfFile(kontor: KontorClient, mailboxId: string | null, run: Run): Promise<void> {
  if (mailboxId !== null || (await kontor.get('/v1/config', { signal: run.signal })).mail !== 'outbox') return;
  run.output.note('The service has no mail server: it writes this mail to a file, and nobody gets it.');
}

import type { components } from '../../api/schema.d.ts';
import { canSend } from '../../tickets/mailbox-state.ts';

type Mailbox = Pick<components['schemas']['Mailbox'], 'id' | 'status' | 'sendStatus'>;

/** The service's own address as a choice. */
export const ownAddress = 'own';

/**
 * Who sends the mail of a new ticket: the chosen mailbox, else the last one used, else the first that can send.
 * @param lastUsed the id of a mailbox, or `ownAddress`
 * @param hasSmtp whether mail from the service's own address leaves
 * @returns null where nothing can send
 */
export function senderOf(
  mailboxes: readonly Mailbox[],
  { chosen, lastUsed, hasSmtp }: { chosen: string | null; lastUsed: string | null; hasSmtp: boolean },
): string | null {
  if (mailboxes.some(({ id }) => id === chosen)) return chosen;
  if (lastUsed === ownAddress && hasSmtp) return ownAddress;
  const working = mailboxes.filter(canSend);
  const found = working.find(({ id }) => id === lastUsed) ?? working.find(({ status }) => status === 'active');
  return found?.id ?? working[0]?.id ?? (hasSmtp ? ownAddress : null);
}

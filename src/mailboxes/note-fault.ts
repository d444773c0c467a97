import type { ProviderFault } from '../mail/provider.ts';
import type { Tx } from '../platform/db.ts';
import type { Mailbox } from './queries.ts';

/**
 * Shows on the mailbox what its people or the operator must do (unauthorized, forbidden, misconfigured); what passes by
 * itself changes nothing. @returns whether it is of use to try again
 */
export async function noteFault(_tx: Tx, _mailbox: Mailbox, _fault: ProviderFault): Promise<boolean> {
  throw new Error('not built');
}

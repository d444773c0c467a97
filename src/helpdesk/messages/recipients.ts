import { isOwnAddress, type OwnAddress } from '../../access/workspaces/own-address.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { isErasedAddress } from '../contacts/erased-address.ts';

export type Recipients = { to: string[]; cc: string[] };
/** Adds the recipients whom the others do not see. */
export type AllRecipients = Recipients & { bcc: string[] };

const recipientsMax = 100;

/**
 * Keeps each address once, in `to` rather than in `cc`.
 * Drops our own addresses, because a mail to them would come back as a new mail. Also drops the addresses of erased
 * persons.
 */
export function withoutRepeats(
  own: OwnAddress,
  { to, cc }: { to: readonly string[]; cc: readonly string[] },
): Recipients {
  const seen = new Set<string>();
  const isNew = (email: string) =>
    !isOwnAddress(own, email) && !isErasedAddress(email) && seen.size < seen.add(caseKey(email)).size;
  return { to: to.filter(isNew), cc: cc.filter(isNew) };
}

/** Does the same for recipients that a caller names. Throws 400 if they are too many for one mail. */
export function recipientsOf(own: OwnAddress, named: AllRecipients): AllRecipients {
  const { to, cc, bcc } = named;
  if (to.length + cc.length + bcc.length > recipientsMax) {
    const path = bcc.length > 0 ? 'body.bccAddresses' : 'body.ccAddresses';
    throw invalidRequest({ path, key: 'too_many_recipients', params: { limit: recipientsMax } });
  }
  const told = withoutRepeats(own, named);
  const toldKeys = new Set([...told.to, ...told.cc].map(caseKey));
  const others = withoutRepeats(own, { to: bcc, cc: [] }).to;
  return { ...told, bcc: others.filter((email) => !toldKeys.has(caseKey(email))) };
}

/** Throws 400 if the mail has no recipient. */
export function requireRecipients({ to }: Recipients): void {
  if (to.length > 0) return;
  throw invalidRequest({ path: 'body.toAddresses', key: 'no_recipient' });
}

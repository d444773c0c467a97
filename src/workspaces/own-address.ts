import { addressBase, domainOf } from '../lib/plus-address.ts';
import type { InboundAddress } from './inbound-address.ts';

/** A workspace's own addresses: its inbound address, the sender of our mail, and its mailboxes. */
export type OwnAddress = Pick<InboundAddress, 'localPart'> & {
  /** The address of `MAIL_FROM`. The inbound address has the same domain. */
  mailFrom: string;
  mailboxAddresses: readonly string[];
};

/** Whether mail to this address, with or without a plus tag, comes back to us. */
export function isOwnAddress({ localPart, mailFrom, mailboxAddresses }: OwnAddress, email: string): boolean {
  const base = addressBase(email);
  return (
    base === addressBase(mailFrom) ||
    base === `${localPart}@${domainOf(mailFrom)}` ||
    mailboxAddresses.some((address) => base === addressBase(address))
  );
}

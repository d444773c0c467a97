import { addressBase, domainOf } from '../../ground/lib/plus-address.ts';
import type { InboundAddress } from './inbound-address.ts';

/** A workspace's own addresses: inbound, the sender of our mail, its mailboxes, and those that people named. */
export type OwnAddress = Pick<InboundAddress, 'localPart'> & {
  /** The address of `MAIL_FROM`. The inbound address has the same domain. */
  mailFrom: string;
  /** Those of its mailboxes, and those that people named. */
  namedAddresses: readonly string[];
};

/** Whether mail to this address, with or without a plus tag, comes back to us. */
export function isOwnAddress({ localPart, mailFrom, namedAddresses }: OwnAddress, email: string): boolean {
  const base = addressBase(email);
  return (
    base === addressBase(mailFrom) ||
    base === `${localPart}@${domainOf(mailFrom)}` ||
    namedAddresses.some((address) => base === addressBase(address))
  );
}

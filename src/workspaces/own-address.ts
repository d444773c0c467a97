import { addressBase, domainOf } from '../lib/plus-address.ts';
import type { InboundAddress } from './inbound-address.ts';

/** By what a workspace's own addresses are known: its inbound address, the one that our mail is sent from, its mailboxes'. */
export type OwnAddress = Pick<InboundAddress, 'localPart'> & {
  /** The address of `MAIL_FROM`; its domain is the inbound address's too. */
  mailFrom: string;
  mailboxAddresses: readonly string[];
};

/** Whether mail to this address comes back to us, a plus tag or not. */
export function isOwnAddress({ localPart, mailFrom, mailboxAddresses }: OwnAddress, email: string): boolean {
  const base = addressBase(email);
  return (
    base === addressBase(mailFrom) ||
    base === `${localPart}@${domainOf(mailFrom)}` ||
    mailboxAddresses.some((address) => base === addressBase(address))
  );
}

import { readReplyToken } from '@kontor/mail/threading.ts';
import { getInboundAddress, type InboundAddress } from '../../access/workspaces/inbound-address.ts';
import { isOwnAddress } from '../../access/workspaces/own-address.ts';
import { type Queryable, together } from '../../ground/database/db.ts';
import { type MessageId, readId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { addressBase, domainOf } from '../../ground/lib/plus-address.ts';
import { isSharedDomain } from '../../ground/lib/shared-domains.ts';
import type { Config } from '../../ground/settings/config.ts';
import { readNamedAddresses } from '../../mail/mailboxes/queries.ts';
import type { UnderstoodMail } from './understand.ts';

/** The addresses at which a workspace sends and receives. They never become contacts. */
export type OwnAddresses = {
  /** Whether the address is this workspace's inbound address, with or without a plus tag. */
  isInbound(email: string): boolean;
  /** Whether the address is one of `OwnAddress`, with or without a plus tag. */
  isOwn(email: string): boolean;
  /** Whether one of these addresses has the same domain, and not everybody can get an address there. */
  isOwnDomain(email: string): boolean;
  /** The message whose reply token an address carries; undefined without a token of this workspace. */
  messageOf(email: string): MessageId | undefined;
};

export async function readOwnAddresses(
  db: Queryable,
  workspaceId: WorkspaceId,
  { email: mailFrom }: Config['mailFrom'],
): Promise<OwnAddresses> {
  const [{ localPart, replyKey }, namedAddresses] = await together([
    getInboundAddress(db, workspaceId),
    readNamedAddresses(db, workspaceId),
  ]);
  const inbound = inboundAddressOf({ localPart }, { email: mailFrom });
  const domains = new Set([mailFrom, ...namedAddresses].map(domainOf).filter((domain) => !isSharedDomain(domain)));
  return {
    isInbound: (email) => addressBase(email) === inbound,
    isOwn: (email) => isOwnAddress({ localPart, mailFrom, namedAddresses }, email),
    isOwnDomain: (email) => domains.has(domainOf(email)),
    messageOf: (email) => readId(readReplyToken(email, replyKey) ?? ''),
  };
}

/** Adds the addresses and domains that an import names. */
export function withChosen(own: OwnAddresses, chosen: readonly string[]): OwnAddresses {
  if (chosen.length === 0) return own;
  const bases = new Set(chosen.map((one) => (one.startsWith('@') ? `@${domainOf(one)}` : addressBase(one))));
  const isChosen = (email: string) => bases.has(addressBase(email)) || bases.has(`@${domainOf(email)}`);
  return { ...own, isOwn: (email) => own.isOwn(email) || isChosen(email) };
}

/** The address that receives mail for a workspace. */
export function inboundAddressOf(
  { localPart }: Pick<InboundAddress, 'localPart'>,
  { email }: Pick<Config['mailFrom'], 'email'>,
): string {
  return `${localPart}@${domainOf(email)}`;
}

/**
 * The message of ours that a mail answers, by the token in an address. SMTP recipients come first, because only they
 * certainly caused the delivery. Among several the newest wins, which the writer saw last.
 */
export function answeredByToken(
  { raw, parsed }: Pick<UnderstoodMail, 'raw' | 'parsed'>,
  { messageOf }: Pick<OwnAddresses, 'messageOf'>,
): MessageId | undefined {
  const emails = (addresses: readonly { email: string }[]) => addresses.map(({ email }) => email);
  for (const places of [raw.envelope.to, parsed.deliveredTo, emails(parsed.to), emails(parsed.cc)]) {
    const messageId = places
      .flatMap((email) => messageOf(email) ?? [])
      .sort()
      .at(-1);
    if (messageId !== undefined) return messageId;
  }
  return undefined;
}

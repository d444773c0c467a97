import { isEmailAddress } from '../../ground/http/schema.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type { MailboxProfile, ProviderAccount } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { type ProviderKey, traitsOf } from '../providers/registry.ts';

/** Exchange allows 300. */
const aliasesMax = 400;

/**
 * Reads a mailbox's other addresses, without duplicates.
 * @returns null when the provider refuses: access to a mailbox need not include its settings, and only aliases need
 * them
 */
export async function readAliases(
  account: Pick<ProviderAccount, 'aliases'>,
  { address }: Pick<MailboxProfile, 'address'>,
): Promise<string[] | null> {
  try {
    const others = (await account.aliases()).filter((alias) => isEmailAddress(alias) && !isSame(alias, address));
    return [...new Map(others.map((alias) => [caseKey(alias), alias])).values()].slice(0, aliasesMax);
  } catch (error) {
    if (error instanceof ProviderFault) return null;
    throw error;
  }
}

const isSame = (one: string, other: string) => caseKey(one) === caseKey(other);

type Addresses = { provider: ProviderKey; address: string; aliases: readonly string[]; sendAs: readonly string[] };

/** The addresses from which a mailbox can send, its own first. An address that only receives is not among them. */
export function sendersOf({ provider, address, aliases, sendAs }: Addresses): string[] {
  return [address, ...(traitsOf(provider).sendsFromAliases ? aliases : sendAs)];
}

/** How the mailbox spells this sender; undefined if it cannot send from there. */
export function findSender(mailbox: Addresses, email: string): string | undefined {
  return sendersOf(mailbox).find((sender) => caseKey(sender) === caseKey(email));
}

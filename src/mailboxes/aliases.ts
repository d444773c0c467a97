import { isEmailAddress } from '../http/schema.ts';
import { caseKey } from '../lib/text.ts';
import { type MailboxProfile, type ProviderAccount, ProviderFault } from '../mail/provider.ts';

/** Exchange allows 300. */
const aliasesMax = 400;

/**
 * A mailbox's further addresses, each once.
 * @returns null when the provider refuses them, as permission for a mailbox need not cover its settings: nothing else needs them
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

import { isEmailAddress } from '../../ground/http/schema.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type { MailboxProfile, ProviderAccount } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';

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

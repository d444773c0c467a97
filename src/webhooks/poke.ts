import type { ProviderName } from '../mail/provider.ts';

/** A provider's word that something happened to a mailbox: a hint to look, of which nothing else is believed. */
export type Poke = {
  provider: ProviderName;
  /** By what the provider names the mailbox: the subscription (mail-a), the address's `caseKey` (mail-b). */
  routeKey: string;
  /** There may be new mail. */
  wantsSync: boolean;
  /** The provider no longer tells of new mail, or soon will not. */
  wantsWatch: boolean;
  /** It has dropped the subscription that is named. */
  isWatchGone: boolean;
  /** It bears the secret of its subscription, or a signature. Otherwise a stranger may have sent it. */
  isProven: boolean;
  /** The provider's id of the mail that it tells of: where it is not found there, no harm is done. */
  mailId?: string;
};

/** What pokes for the same mailbox have in common. */
export function routeOf({ provider, routeKey }: Pick<Poke, 'provider' | 'routeKey'>): string {
  return `${provider} ${routeKey}`;
}

/** A poke that nothing proves has the mailbox looked at, and no more. */
export function unproven({ mailId: _, ...poke }: Poke): Poke {
  return { ...poke, isWatchGone: false, isProven: false };
}

/** One poke that asks for what both of them ask for, the mails that they name apart; both are for the same mailbox. */
export function folded(one: Poke, other: Poke | undefined): Poke {
  if (other === undefined) return one;
  return {
    ...one,
    wantsSync: one.wantsSync || other.wantsSync,
    wantsWatch: one.wantsWatch || other.wantsWatch,
    isWatchGone: one.isWatchGone || other.isWatchGone,
    isProven: one.isProven || other.isProven,
  };
}

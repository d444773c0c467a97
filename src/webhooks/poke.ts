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
  /** It has the secret of its subscription, or a signature. Otherwise a stranger may have sent it. */
  isProven: boolean;
  /** The provider's id of the mail it is about. An id that does not exist does no harm. */
  mailId?: string;
};

/** What pokes for the same mailbox have in common. */
export function routeOf({ provider, routeKey }: Pick<Poke, 'provider' | 'routeKey'>): string {
  return `${provider} ${routeKey}`;
}

/** Reduces an unproven poke to a sync of the mailbox. */
export function unproven({ mailId: _, ...poke }: Poke): Poke {
  return { ...poke, isWatchGone: false, isProven: false };
}

/** Combines two pokes of the same mailbox, without the mails that they name. */
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

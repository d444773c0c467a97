import type { TicketWithMessages } from '../../api/client.ts';
import { isSameAddress } from '../../lib/addresses.ts';
import type { DraftContent } from '../draft/draft-content.ts';

export type Recipients = Pick<DraftContent, 'to' | 'cc' | 'bcc'>;

/** The recipients of an answer: the recipients that the writer has chosen, or else all participants. */
export function recipientsOf(
  { to, cc, bcc, areRecipientsChosen }: DraftContent,
  { replyDefaults }: Pick<TicketWithMessages, 'replyDefaults'>,
): Recipients {
  return areRecipientsChosen ? { to, cc, bcc } : { ...replyDefaults, bcc: [] };
}

/** The offered people who do not get the answer yet. */
export function othersToOffer(offers: readonly string[], { to, cc, bcc }: Recipients): string[] {
  const all = [...to, ...cc, ...bcc];
  return offers.filter((offer) => !all.some((address) => isSameAddress(address, offer)));
}

/** The first colleague among the recipients of an answer. */
export function colleagueAmong<Member extends { email: string }>(
  { to, cc, bcc }: Recipients,
  members: readonly Member[],
): Member | undefined {
  const all = [...to, ...cc, ...bcc];
  return members.find(({ email }) => all.some((address) => isSameAddress(address, email)));
}

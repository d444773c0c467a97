import type { TicketWithMessages } from '../api/client.ts';
import { isSameAddress } from './addresses.ts';
import type { DraftContent } from './draft-content.ts';

export type Recipients = Pick<DraftContent, 'to' | 'cc' | 'bcc'>;

/** Whom an answer goes to: those chosen, else everybody who takes part. */
export function recipientsOf(
  { to, cc, bcc, areRecipientsChosen }: DraftContent,
  { replyDefaults }: Pick<TicketWithMessages, 'replyDefaults'>,
): Recipients {
  return areRecipientsChosen ? { to, cc, bcc } : { ...replyDefaults, bcc: [] };
}

/** The colleague who would get an answer as a customer does. */
export function colleagueAmong<Member extends { email: string }>(
  { to, cc, bcc }: Recipients,
  members: readonly Member[],
): Member | undefined {
  const all = [...to, ...cc, ...bcc];
  return members.find(({ email }) => all.some((address) => isSameAddress(address, email)));
}

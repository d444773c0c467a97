import type { ParsedMail } from '@kontor/mail/mail.ts';
import type { RawMail } from './raw-mails.ts';

export type MailTimes = {
  /** The message's place in the conversation. */
  createdAt: Date;
  /** The mail's Date field, which may be wrong; null when missing. */
  sentAt: Date | null;
};

type Arrival = Pick<RawMail, 'origin' | 'receivedAt'> & {
  hosted: Pick<NonNullable<RawMail['hosted']>, 'receivedAt'> | null;
};

/**
 * Decides the time of a message. Live mail uses its arrival, because a sender's clock may be wrong by years. Imports
 * use Date. A mailbox's history uses the time at which the provider received it, except for mail that was moved there
 * later.
 */
export function timesOf(mail: Pick<ParsedMail, 'date' | 'receivedAt'>, raw: Arrival): MailTimes {
  const providerAt = raw.hosted?.receivedAt ?? null;
  const createdAt =
    raw.origin === 'live'
      ? arrivalOf(raw.receivedAt, providerAt)
      : providerAt !== null && isDelivery(mail, providerAt)
        ? providerAt
        : writtenAt(mail, providerAt ?? raw.receivedAt);
  return { createdAt, sentAt: mail.date };
}

const promptMs = 60_000;

/**
 * Mail that was fetched late, after an outage, uses the provider's time. Otherwise our own clock counts. Providers cut
 * times to the second, so a bounce within the same second would sort before the answer that bounced.
 */
function arrivalOf(arrivedAt: Date, providerAt: Date | null): Date {
  return providerAt !== null && arrivedAt.getTime() - providerAt.getTime() >= promptMs ? providerAt : arrivedAt;
}

const transitMsMax = 24 * 60 * 60_000;

/** Whether the provider's time is the time of delivery. Mail that was moved from another provider is older. */
function isDelivery({ date, receivedAt }: Pick<ParsedMail, 'date' | 'receivedAt'>, providerAt: Date): boolean {
  return [date, receivedAt].some(
    (time) => time !== null && Math.abs(providerAt.getTime() - time.getTime()) <= transitMsMax,
  );
}

/** Only a broken clock makes mail older than this. */
const oldest = Date.UTC(1980, 0);

/**
 * The Date, unless it is missing, before 1980 or after the arrival. Otherwise the newest Received, with the same
 * limits.
 */
function writtenAt({ date, receivedAt }: Pick<ParsedMail, 'date' | 'receivedAt'>, arrivedAt: Date): Date {
  const isSane = (time: Date | null) => time !== null && time.getTime() >= oldest && time <= arrivedAt;
  return [date, receivedAt].find(isSane) ?? arrivedAt;
}

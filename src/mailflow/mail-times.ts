import type { ParsedMail } from '../mail/mail.ts';
import type { RawMail } from './raw-mails.ts';

export type MailTimes = {
  /** Where the message stands in its conversation. */
  createdAt: Date;
  /** The mail's own Date, as wrong as it may be; null when it has none. */
  sentAt: Date | null;
};

type Arrival = Pick<RawMail, 'origin' | 'receivedAt'> & {
  hosted: Pick<NonNullable<RawMail['hosted']>, 'receivedAt'> | null;
};

/**
 * When a mail counts from. Live mail goes by its arrival, for a sender's clock may be wrong by years. An import goes by Date.
 * The history of a mailbox goes by the time at which the provider received it, except for mails that were moved there later.
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
 * Mail that was fetched late, after an outage here or there, stands where it would have stood. Otherwise our own clock counts:
 * providers cut times to the second, so a bounce of the same second would stand before the answer that it is about.
 */
function arrivalOf(arrivedAt: Date, providerAt: Date | null): Date {
  return providerAt !== null && arrivedAt.getTime() - providerAt.getTime() >= promptMs ? providerAt : arrivedAt;
}

const transitMsMax = 24 * 60 * 60_000;

/** Whether the provider's time is that of the delivery: a mail that was moved from another provider is older by itself. */
function isDelivery({ date, receivedAt }: Pick<ParsedMail, 'date' | 'receivedAt'>, providerAt: Date): boolean {
  return [date, receivedAt].some(
    (time) => time !== null && Math.abs(providerAt.getTime() - time.getTime()) <= transitMsMax,
  );
}

/** Mail is older than this only by a broken clock. */
const oldest = Date.UTC(1980, 0);

/** Its Date, unless that is missing, before 1980 or later than the mail's arrival; else by the same rule the newest Received. */
function writtenAt({ date, receivedAt }: Pick<ParsedMail, 'date' | 'receivedAt'>, arrivedAt: Date): Date {
  const isSane = (time: Date | null) => time !== null && time.getTime() >= oldest && time <= arrivedAt;
  return [date, receivedAt].find(isSane) ?? arrivedAt;
}

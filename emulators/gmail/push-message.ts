/** A Pub/Sub message, and the POST that delivers it. */
import { type Agent, request as httpRequest } from 'node:http';
import type { VirtualClock } from '../clock.ts';
import type { Random } from '../random.ts';

export type PushSettings = {
  /** Where pushes go. No pushes while undefined. */
  endpoint: string | undefined;
  /** Default: the endpoint. */
  audience: string | undefined;
  /** Also how long the endpoint may take to answer. */
  ackDeadlineMs: number;
  /** Gives up after this many attempts. Only then do pushes contain `deliveryAttempt`. */
  deadLetterAfter: number | null;
  /** Gmail's documentation shows a string; real pushes mostly contain a number. */
  historyIdAs: 'string' | 'number' | 'either';
  base64: 'standard' | 'url-safe';
};

export type Message = {
  id: string;
  emailAddress: string;
  historyId: number;
  publishedAt: number;
  data: string;
  attempts: number;
};

export type DeliveryStatus = number | 'timeout' | 'broken';

const subscription = 'projects/kontor/subscriptions/mail';

type PostOptions = { clock: VirtualClock; settings: PushSettings; agent: Agent; token: string | undefined };

/** @returns the status of the first response, which may be an interim 102 */
export function postTo(message: Message, { clock, settings, agent, token }: PostOptions): Promise<DeliveryStatus> {
  const { endpoint, ackDeadlineMs } = settings;
  if (endpoint === undefined) return Promise.resolve('broken');
  const body = JSON.stringify(envelopeOf(message, settings));
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'CloudPubSub-Google',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  return new Promise((resolve) => {
    const sent = httpRequest(endpoint, { method: 'POST', headers, agent });
    const callOff = clock.after(ackDeadlineMs, () => end('timeout'));
    const end = (status: DeliveryStatus): void => {
      callOff();
      resolve(status);
      if (status === 'timeout') sent.destroy();
    };
    sent.on('information', ({ statusCode }) => statusCode === 102 && end(102));
    sent.on('response', (response) => {
      response.resume();
      response.on('end', () => end(response.statusCode ?? 'broken'));
      response.on('error', () => end('broken'));
    });
    sent.on('error', () => end('broken'));
    sent.end(body);
  });
}

export function encodeData(
  { emailAddress, historyId }: { emailAddress: string; historyId: number },
  { historyIdAs, base64 }: PushSettings,
  random: Random,
): string {
  const isNumber = historyIdAs === 'number' || (historyIdAs === 'either' && random.below(2) === 0);
  const data = Buffer.from(JSON.stringify({ emailAddress, historyId: isNumber ? historyId : String(historyId) }));
  const padded = data.toString('base64');
  return base64 === 'standard' ? padded : padded.replaceAll('+', '-').replaceAll('/', '_');
}

/** Both spellings, as Pub/Sub sends them. No attributes, since Gmail sets none. */
function envelopeOf({ id, data, publishedAt, attempts }: Message, { deadLetterAfter }: PushSettings): object {
  const publishTime = new Date(publishedAt).toISOString();
  return {
    message: { data, messageId: id, message_id: id, publishTime, publish_time: publishTime },
    subscription,
    ...(deadLetterAfter !== null && { deliveryAttempt: attempts }),
  };
}

import webPush from 'web-push';
import type { Db } from '../../../ground/database/db.ts';
import type { Logger } from '../../../ground/platform/log.ts';
import type { PublicWeb } from '../../../ground/platform/public-web.ts';
import { UnreachedError } from '../../../ground/platform/reach.ts';
import type { Seal } from '../../../ground/platform/seal.ts';
import { type PushKeys, readPushKeys } from './push-keys.ts';
import type { PushTarget } from './subscriptions.ts';

/** `gone`: the browser gets nothing there any more. `refused`: not this message. `later`: another attempt may help. */
export type PushOutcome = 'sent' | 'gone' | 'refused' | 'later';

export type PushSender = {
  /** By which browsers bind a subscription to this installation; null if push is off. */
  publicKey(): Promise<string | null>;
  /** @param topic up to 32 characters: a push service keeps only the last message of a topic */
  send(target: PushTarget, message: object, topic: string): Promise<PushOutcome>;
};

/** A push service that never answers keeps a place of the others that long. */
const timeoutMs = 3_000;
const answerBytesMax = 64 * 1024;
/** How long a push service keeps a message for a browser that is off. */
const keptSeconds = 12 * 3_600;

type Parts = { db: Db; seal: Seal; log: Logger; web: PublicWeb; contact: string | undefined };

/** @param web reaches push services, whose addresses browsers name and people can forge */
export function openPushSender({ db, seal, log, web, contact }: Parts): PushSender {
  let reading: Promise<PushKeys | undefined> | undefined;
  const keys = () => {
    reading ??= readPushKeys(db, seal, log).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
  return {
    publicKey: async () => (contact === undefined ? null : ((await keys())?.publicKey ?? null)),
    send: async (target, message, topic) => {
      if (contact === undefined) return 'refused';
      const own = await keys();
      // A process with the right ENCRYPTION_KEY may have the next attempt.
      if (own === undefined) return 'later';
      const vapidDetails = { subject: contact, ...own };
      const request = requestOf(target, message, { vapidDetails, topic });
      if (request === undefined) return 'gone';
      try {
        const answer = await web(target.endpoint, { ...request, method: 'POST', bytesMax: answerBytesMax, timeoutMs });
        return answer === undefined ? 'later' : outcomeOf(answer.status);
      } catch (error) {
        return error instanceof UnreachedError && error.isForGood ? 'gone' : 'later';
      }
    },
  };
}

/** Encrypts the message for the browser alone (RFC 8291). Undefined for keys that are none. */
function requestOf(
  { endpoint, p256dh, auth }: PushTarget,
  message: object,
  options: { vapidDetails: PushKeys & { subject: string }; topic: string },
): { headers: Record<string, string>; body: Buffer } | undefined {
  try {
    const { headers, body } = webPush.generateRequestDetails(
      { endpoint, keys: { p256dh, auth } },
      JSON.stringify(message),
      { ...options, TTL: keptSeconds, contentEncoding: 'aes128gcm' },
    );
    const texts = Object.entries(headers as Record<string, unknown>).map(([name, value]) => [name, String(value)]);
    return body === null ? undefined : { headers: Object.fromEntries(texts), body };
  } catch {
    return undefined;
  }
}

function outcomeOf(status: number): PushOutcome {
  if (status >= 200 && status < 300) return 'sent';
  if (status === 404 || status === 410) return 'gone';
  return status === 429 || status >= 500 ? 'later' : 'refused';
}

import { KontorError } from './error.ts';

export type WebhookEvent = {
  /** One of the table of events in docs/api.md, or `webhook.test`. */
  type: string;
  timestamp: string;
  data: {
    /** The event's id. */
    id: string;
    workspaceId: string;
    actor: { type: string; userId: string | null };
    ticket: {
      id: string;
      ticketNumber: number;
      status: string;
      priority: string;
      assigneeId: string | null;
    } | null;
    details: Record<string, unknown>;
  };
};

type Incoming = Headers | Record<string, string | readonly string[] | undefined>;

const toleranceSeconds = 300;

/**
 * Checks that a request to your webhook comes from Kontor, as Standard Webhooks asks for.
 * @param body the body as it came, before its JSON is parsed
 * @returns the event. Throws `KontorError` `webhook.unverified`
 */
export async function verifyWebhook(
  secret: string,
  headers: Incoming,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<WebhookEvent> {
  const key = keyOf(secret);
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerIn(headers, name),
  );
  if (!id || !time || !signatures) throw unverified('a header is missing');
  const seconds = Number.parseInt(time, 10);
  if (!(Math.abs(Math.floor(Date.now() / 1_000) - seconds) <= toleranceSeconds)) throw unverified('it is too old');
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  const expected = await sign(key, `${id}.${seconds}.${text}`);
  const isAuthentic = signatures.split(' ').some((versioned) => {
    const [version, signature = ''] = versioned.split(',');
    return version === 'v1' && isSame(signature, expected);
  });
  if (!isAuthentic) throw unverified('no signature matches');
  return JSON.parse(text) as WebhookEvent; // Kontor signed it
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = atob(secret.replace(/^whsec_/, ''));
  if (bytes === '') throw new TypeError('The secret of the webhook is empty.');
  return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
}

function headerIn(headers: Incoming, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).findLast(([own]) => own.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.join(' ');
}

async function sign(secret: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign(algorithm.name, key, new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(signature)));
}

/** Takes the same time wherever the texts differ, so that nobody can guess a signature letter by letter. */
function isSame(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let at = 0; at < expected.length; at++) difference |= given.charCodeAt(at) ^ expected.charCodeAt(at);
  return difference === 0;
}

function unverified(reason: string): KontorError {
  const fallbackMessage = `The request could not be verified as coming from Kontor: ${reason}.`;
  return new KontorError({ key: 'webhook.unverified', params: {}, fallbackMessage }, { status: 401 });
}

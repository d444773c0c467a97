import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  type JsonWebKey,
  randomBytes,
  randomUUID,
  verify,
} from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the sender wrote, in JSON. */
type PushedMessage = Record<string, unknown> & { title: string; address: string };

type Pushed = {
  message: PushedMessage;
  headers: IncomingMessage['headers'];
  /** What the sender says of itself (RFC 8292). */
  vapid: { aud: string; exp: number; sub: string };
};

/** A browser with a subscription at the emulator. */
export type PushBrowser = {
  /** As `PushSubscription.toJSON()` has it. */
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } };
  /** What has come, oldest first. */
  pushed: Pushed[];
  /** The status with which the push service answers from now on. */
  answer: number;
};

export type PushService = { url: string; subscribe(publicKey: string): PushBrowser; close(): Promise<void> };

/**
 * A push service (RFC 8030) and the browsers behind it, which decrypt what comes by RFC 8291. It refuses a message of
 * anybody but the sender to whom the browser bound its subscription, and one that cannot be decrypted.
 */
export async function startPushService(): Promise<PushService> {
  const browsers = new Map<string, PushBrowser & { open(bytes: Buffer): PushedMessage; publicKey: string }>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => response.writeHead(receive(request, Buffer.concat(chunks))).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** @returns the status */
  function receive({ url: path = '', headers }: IncomingMessage, bytes: Buffer): number {
    const browser = browsers.get(path);
    if (browser === undefined) return 404;
    const vapid = readVapid(headers.authorization ?? '', browser.publicKey);
    if (vapid === undefined || vapid.aud !== url) return 403;
    if (!/^\d+$/.test(String(headers.ttl)) || headers['content-encoding'] !== 'aes128gcm') return 400;
    if (bytes.length > 4_096) return 413;
    if (browser.answer < 300) browser.pushed.push({ message: browser.open(bytes), headers, vapid });
    return browser.answer;
  }

  return {
    url,
    subscribe: (publicKey) => {
      const path = `/push/${randomUUID()}`;
      const pair = createECDH('prime256v1');
      pair.generateKeys();
      const auth = randomBytes(16);
      const keys = { p256dh: pair.getPublicKey('base64url'), auth: auth.toString('base64url') };
      const open = (bytes: Buffer) => JSON.parse(decrypt(bytes, { pair, auth }).toString());
      const browser = {
        subscription: { endpoint: url + path, keys },
        pushed: [],
        answer: 201,
        open,
        publicKey,
      };
      browsers.set(path, browser);
      return browser;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** `vapid t=<JWT>, k=<public key>`; undefined unless the key is the expected one, and signed the token. */
function readVapid(header: string, expectedKey: string): Pushed['vapid'] | undefined {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(header) ?? [];
  if (key !== expectedKey) return undefined;
  const point = Buffer.from(key, 'base64url');
  const part = (from: number) => point.subarray(from, from + 32).toString('base64url');
  const jwk: JsonWebKey = { kty: 'EC', crv: 'P-256', x: part(1), y: part(33) };
  const [head = '', body = '', signature = ''] = token.split('.');
  const publicKey = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
  const isSigned = verify('sha256', Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'));
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  return isSigned && claims.exp * 1_000 > Date.now() ? claims : undefined;
}

/** RFC 8188 with the keys of RFC 8291, one record. */
function decrypt(bytes: Buffer, { pair, auth }: { pair: ReturnType<typeof createECDH>; auth: Buffer }): Buffer {
  const salt = bytes.subarray(0, 16);
  const keyLength = bytes[20] ?? 0;
  const senderKey = bytes.subarray(21, 21 + keyLength);
  const sealed = bytes.subarray(21 + keyLength);
  const derive = (key: Uint8Array, by: Uint8Array, info: Uint8Array | string, length: number) =>
    Buffer.from(hkdfSync('sha256', key, by, info, length));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), senderKey]);
  const secret = derive(pair.computeSecret(senderKey), auth, info, 32);
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12);
  const opening = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([opening.update(sealed.subarray(0, -16)), opening.final()]);
  return padded.subarray(0, padded.lastIndexOf(2));
}

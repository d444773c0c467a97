import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Jwk, type KeyPair, type Members, makeKeyPair, type Signer, signToken } from './identity-token.ts';

/**
 * Stands in for the identity providers: Google at its own address, Entra ID at `/<tenant>/v2.0`, each with discovery
 * and keys as the real providers have. It gives any caller a token for any account, so it listens on this machine
 * alone.
 *
 * On its own: `node emulators/identity.ts [port]`. `/control` takes commands in JSON:
 *   POST /control/tokens { family, tenant?, claims?, header?, signer? }  →  { idToken }
 *   POST /control/rotate { family, keepsOld? }                           →  { kid }
 *   PUT | DELETE /control/keys/<family> { keys: [JWK …] }                publishes these keys instead
 *   PUT | DELETE /control/faults/<discovery | keys> { kind, to? }        how requests for the document fail
 *   GET | DELETE /control/requests                                       the requests so far
 */
export type IdentityEmulator = {
  url: string;
  /** The `iss` of Google's tokens: the emulator's address, unless a test sets the real issuer. */
  googleIssuer: string;
  /** Entra's issuer for a tenant, or its template. */
  entraIssuer(tenant?: string): string;
  mint(order: TokenOrder): string;
  /** Signs with a new key from now on. */
  rotate(family: Family, options?: { keepsOld?: boolean }): KeyPair;
  publish(family: Family, keys: Jwk[] | undefined): void;
  keysOf(family: Family): readonly KeyPair[];
  fail(what: Published, fault: Fault | undefined): void;
  /** Paths of the requests so far, without `/control`. */
  requests: string[];
  close(): Promise<void>;
};

type Family = 'google' | 'entra';
type Published = 'discovery' | 'keys';
/** `down` is 503, `broken` drops the connection, `slow` answers after `delayMs`, `stalled` begins and never ends. */
type Fault = {
  kind: 'down' | 'broken' | 'slow' | 'stalled' | 'huge' | 'garbage' | 'redirect';
  delayMs?: number;
  to?: string;
};

type TokenOrder = {
  family: Family;
  /** Entra's tenant of the account. */
  tenant?: string;
  claims?: Members;
  header?: Members;
  signer?: Signer;
};

type EmulatorOptions = { port?: number; now?: () => Date; clientId?: string };

export const someTenant = '11111111-1111-4111-8111-111111111111';
const consumerTenant = '9188040d-6c67-4c5b-b112-36a304b66dad';

export async function openIdentityEmulator({
  port = 0,
  now = () => new Date(),
  clientId = 'client-of-kontor',
}: EmulatorOptions = {}): Promise<IdentityEmulator> {
  const rings: Record<Family, KeyPair[]> = { google: [makeKeyPair()], entra: [makeKeyPair()] };
  const published: Partial<Record<Family, Jwk[]>> = {};
  const faults = new Map<Published, Fault>();
  const emulator: Omit<IdentityEmulator, 'close'> = {
    url: '',
    googleIssuer: '',
    entraIssuer: (tenant = '{tenantid}') => `${emulator.url}/${tenant}/v2.0`,
    mint: (order) => {
      const [pair] = rings[order.family] as [KeyPair]; // A ring is never empty.
      const usual = usualClaims(emulator, order, { now: now(), clientId });
      const header = { alg: 'RS256', typ: 'JWT', kid: pair.kid, ...order.header };
      return signToken(header, { ...usual, ...order.claims }, order.signer ?? { with: 'rs256', pair });
    },
    rotate: (family, { keepsOld = true } = {}) => {
      const pair = makeKeyPair();
      rings[family] = [pair, ...(keepsOld ? rings[family] : [])];
      return pair;
    },
    publish: (family, keys) => {
      if (keys === undefined) delete published[family];
      else published[family] = keys;
    },
    keysOf: (family) => rings[family],
    fail: (what, fault) => {
      if (fault === undefined) faults.delete(what);
      else faults.set(what, fault);
    },
    requests: [],
  };
  const server = createServer((request, response) => {
    answer(emulator, request, response, { rings, published, faults }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  // The server listens on TCP, so its address is an object.
  emulator.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  emulator.googleIssuer = emulator.url;
  return Object.assign(emulator, {
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

function usualClaims(
  { googleIssuer, entraIssuer }: Pick<IdentityEmulator, 'googleIssuer' | 'entraIssuer'>,
  { family, tenant = someTenant }: TokenOrder,
  { now, clientId }: { now: Date; clientId: string },
): Members {
  const iat = Math.floor(now.getTime() / 1000);
  const common = { aud: clientId, iat, exp: iat + 3_600, sub: 'subject-1', email: 'ada@example.org', name: 'Ada' };
  if (family === 'google') return { ...common, iss: googleIssuer, azp: clientId, email_verified: true };
  return {
    ...common,
    iss: entraIssuer(tenant),
    nbf: iat,
    tid: tenant,
    ver: '2.0',
    preferred_username: 'ada@example.org',
  };
}

type Inside = {
  rings: Record<Family, KeyPair[]>;
  published: Partial<Record<Family, Jwk[]>>;
  faults: Map<Published, Fault>;
};

async function answer(
  emulator: Omit<IdentityEmulator, 'close'>,
  request: IncomingMessage,
  response: ServerResponse,
  inside: Inside,
): Promise<void> {
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  if (path.startsWith('/control/')) return control(emulator, request, response, path.slice('/control/'.length));
  emulator.requests.push(path);
  const document = documentAt(emulator, path, inside);
  if (document === undefined) return json(response, 404, { error: 'not_found' });
  const fault = inside.faults.get(document.what);
  if (fault === undefined) return json(response, 200, document.body);
  return misbehave(response, fault, document.body);
}

/** The document at a path. Entra's `common` and `organizations` are templates for every tenant. */
function documentAt(
  { url, entraIssuer }: Omit<IdentityEmulator, 'close'>,
  path: string,
  { rings, published }: Inside,
): { what: Published; body: object } | undefined {
  const keysOf = (family: Family) => published[family] ?? rings[family].map(({ jwk }) => jwk);
  if (path === '/.well-known/openid-configuration')
    return { what: 'discovery', body: { issuer: url, jwks_uri: `${url}/oauth2/v3/certs` } };
  if (path === '/oauth2/v3/certs') return { what: 'keys', body: { keys: keysOf('google') } };
  const tenant = /^\/([^/]+)\/(?:v2\.0\/\.well-known\/openid-configuration|discovery\/v2\.0\/keys)$/.exec(path)?.[1];
  if (tenant === undefined) return undefined;
  const isTemplate = tenant === 'common' || tenant === 'organizations';
  const issuer = entraIssuer(isTemplate ? undefined : tenant === 'consumers' ? consumerTenant : tenant);
  if (path.endsWith('configuration'))
    return { what: 'discovery', body: { issuer, jwks_uri: `${url}/${tenant}/discovery/v2.0/keys` } };
  return { what: 'keys', body: { keys: keysOf('entra').map((jwk) => ({ issuer, ...jwk })) } };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function misbehave(response: ServerResponse, { kind, delayMs = 0, to = '/' }: Fault, body: object): void {
  const acts: Record<Fault['kind'], () => unknown> = {
    down: () => json(response, 503, { error: 'temporarily_unavailable' }),
    broken: () => response.destroy(),
    slow: () => setTimeout(() => json(response, 200, body), delayMs),
    stalled: () => response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    huge: () => json(response, 200, { ...body, padding: 'x'.repeat(4 * 1024 * 1024) }),
    garbage: () => response.writeHead(200).end('<html>Sign in to the network</html>'),
    redirect: () => response.writeHead(302, { location: to }).end(),
  };
  acts[kind]();
}

async function control(
  emulator: Omit<IdentityEmulator, 'close'>,
  request: IncomingMessage,
  response: ServerResponse,
  command: string,
): Promise<void> {
  const body = await bodyOf(request);
  const [what, which] = command.split('/');
  const isReset = request.method === 'DELETE';
  if (what === 'tokens') return json(response, 201, { idToken: emulator.mint(body as TokenOrder) });
  if (what === 'rotate') {
    const { family, keepsOld = true } = body as { family: Family; keepsOld?: boolean };
    return json(response, 201, { kid: emulator.rotate(family, { keepsOld }).kid });
  }
  if (what === 'keys') emulator.publish(which as Family, isReset ? undefined : (body as { keys: Jwk[] }).keys);
  else if (what === 'faults') emulator.fail(which as Published, isReset ? undefined : (body as Fault));
  else if (what !== 'requests') return json(response, 404, { error: 'not_found' });
  else if (isReset) emulator.requests.length = 0;
  json(response, 200, { requests: emulator.requests });
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  // The request has no encoding set, so chunks are buffers.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
}

if (import.meta.main) {
  const { url, entraIssuer } = await openIdentityEmulator({ port: Number(process.argv[2] ?? 9_100) });
  process.stdout.write(`OAUTH_A_CLIENT_ID=client-of-kontor OAUTH_A_ISSUER=${url}\n`);
  process.stdout.write(`OAUTH_B_CLIENT_ID=client-of-kontor OAUTH_B_ISSUER=${entraIssuer()}\n`);
}

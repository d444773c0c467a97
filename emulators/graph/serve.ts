/** Serves a request of the Graph emulator: token, mailbox, limits, faults. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeSlice } from './drafts.ts';
import { type Answer, type Call, errorAnswer, GraphError, readBody } from './http.ts';
import { mailboxRoutes, type Route, subscriptionRoutes } from './routes.ts';
import { userNamed } from './subscriptions.ts';
import { admit, approve, authorize, entraError, giveTokens } from './tokens.ts';
import { type AccessToken, type Fault, keepLast, type Mailbox, type RequestLine, type World } from './world.ts';

export async function serve(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', world.url);
  const line: RequestLine = { at: world.clock.now(), operation: 'unknown', address: null, status: null };
  keepLast(world.requests, line);
  const release: (() => void)[] = [];
  response.on('close', () => {
    for (const free of release) free();
  });
  const answer = await answerTo(world, request, { url, line, release }).catch((error: unknown) => {
    if (error instanceof GraphError) return errorAnswer(world, error);
    throw error;
  });
  if (world.behaviour.latencyMs > 0) await sleep(world.behaviour.latencyMs);
  if (answer === 'stalled') return;
  if (answer === 'broken') return void response.destroy();
  line.status = answer.status;
  write(response, answer);
}

type Outcome = Answer | 'stalled' | 'broken';
type Asked = { url: URL; line: RequestLine; release: (() => void)[] };

async function answerTo(world: World, request: IncomingMessage, { url, line, release }: Asked): Promise<Outcome> {
  const path = decodeURIComponent(url.pathname);
  const upload = /^\/uploads\/([^/]+)$/.exec(path)?.[1];
  if (upload !== undefined && request.method === 'PUT') {
    line.operation = 'upload.slice';
    const content = await readBody(request, 64 * 1024 * 1024);
    const { 'content-range': range, authorization } = request.headers;
    return withFault(world, line, () => takeSlice(world, upload, { range, authorization, content }));
  }
  const door = /^\/[^/]+\/oauth2\/v2\.0\/(authorize|token)$/.exec(path)?.[1];
  if (door === 'authorize') {
    line.operation = door;
    return withFault(world, line, () => authorize(world, url.searchParams));
  }
  const approved = /^\/([^/]+)\/v2\.0\/adminconsent$/.exec(path)?.[1];
  if (approved !== undefined) {
    line.operation = 'adminconsent';
    return withFault(world, line, () => approve(world, approved, url.searchParams));
  }
  if (door === 'token') {
    line.operation = door;
    const form = new URLSearchParams((await readBody(request)).toString());
    line.address = world.tokens.refresh.get(form.get('refresh_token') ?? '')?.address ?? null;
    return withFault(world, line, () => giveTokens(world, form));
  }
  if (!path.startsWith('/v1.0/')) throw new GraphError(404, 'ResourceNotFound', 'There is nothing here.');
  return askGraph(world, request, { url, path: path.slice('/v1.0'.length), line, release });
}

async function askGraph(
  world: World,
  request: IncomingMessage,
  { url, path, line, release }: Asked & { path: string },
): Promise<Outcome> {
  const token = admit(world, request.headers.authorization);
  // mailFolders('inbox') means the same as mailFolders/inbox.
  const plain = path.replace(/\('([^']*)'\)/g, '/$1');
  const [, user, rest = ''] = /^\/(me|users\/[^/]+)(\/.*)?$/i.exec(plain) ?? [];
  const isOfMailbox = user !== undefined;
  const { route, params } = routeFor(
    isOfMailbox ? mailboxRoutes : subscriptionRoutes,
    request.method,
    isOfMailbox ? rest : plain,
  );
  line.operation = route.operation;
  const mailbox = isOfMailbox ? mailboxFor(world, token, user) : ownMailbox(world, token);
  line.address = mailbox?.address ?? null;
  const caller = ownMailbox(world, token);
  const isShared = isOfMailbox && token.address !== undefined && mailbox !== caller;
  refuseUnscoped(route, token, isShared);
  if (isOfMailbox && mailbox !== undefined) release.push(count(world, mailbox));
  const body = await readBody(request);
  const prefer = String(request.headers.prefer ?? '');
  const call: Call = {
    world,
    // Undefined only for an application on a route without a mailbox, whose handlers do not use it.
    mailbox: mailbox as Mailbox,
    caller,
    isApplication: token.address === undefined,
    scopes: token.scopes,
    method: request.method ?? 'GET',
    params,
    query: url.searchParams,
    headers: request.headers,
    body,
    isImmutable: /IdType\s*=\s*"?ImmutableId"?/i.test(prefer),
  };
  return withFault(world, line, () => route.handle(call));
}

function routeFor(
  routes: readonly Route[],
  method: string | undefined,
  path: string,
): { route: Route; params: string[] } {
  const inMethod = routes.filter((route) => route.method === method);
  for (const route of inMethod) {
    const match = route.path.exec(path);
    if (match !== null) return { route, params: match.slice(1) };
  }
  throw new GraphError(404, 'ResourceNotFound', 'Resource not found for the segment.');
}

function ownMailbox(world: World, { address }: AccessToken): Mailbox | undefined {
  return address === undefined ? undefined : world.mailboxes.get(address.toLowerCase());
}

function mailboxFor(world: World, token: AccessToken, user: string): Mailbox {
  const own = ownMailbox(world, token);
  if (user.toLowerCase() === 'me') {
    if (own !== undefined) return own;
    throw new GraphError(400, 'BadRequest', '/me request is only valid with delegated authentication flow.');
  }
  const mailbox = userNamed(world, user.slice('users/'.length));
  if (mailbox === undefined) throw new GraphError(404, 'ErrorInvalidUser', 'The requested user is invalid.');
  const isOpen = token.address === undefined || mailbox === own || mailbox.delegates.has(token.address.toLowerCase());
  // Exchange hides what exists.
  if (!isOpen && isScopedForShared(token))
    throw new GraphError(404, 'ErrorItemNotFound', 'The specified object was not found in the store.');
  if (!isOpen) throw new GraphError(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.');
  return mailbox;
}

const isScopedForShared = ({ scopes }: AccessToken) => scopes.some((scope) => scope.endsWith('.Shared'));

/** A token needs the `.Shared` scopes for the mailbox of another user. These also work for the own mailbox. */
function refuseUnscoped({ operation, scopes }: Route, token: AccessToken, isShared: boolean): void {
  if (isShared && operation === 'profile')
    throw new GraphError(403, 'Authorization_RequestDenied', 'Insufficient privileges to complete the operation.');
  const isGiven = (scope: string) =>
    token.scopes.includes(`${scope}.Shared`) || (!isShared && token.scopes.includes(scope));
  if (scopes.length > 0 && !scopes.some(isGiven))
    throw new GraphError(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.');
}

const windowMs = 10 * 60_000;

/** @returns a function that ends the request's share of the concurrency; throws GraphError over a limit */
function count(world: World, { traffic }: Mailbox): () => void {
  const { concurrencyMax, requestsPerWindow, retryAfterSeconds } = world.behaviour;
  const now = world.clock.now().getTime();
  if (now >= traffic.windowEndsAt) Object.assign(traffic, { windowEndsAt: now + windowMs, count: 0 });
  traffic.count++;
  const isOver = traffic.count > requestsPerWindow;
  if (isOver || traffic.atOnce >= concurrencyMax)
    throw new GraphError(
      429,
      'ApplicationThrottled',
      `Application is over its ${isOver ? 'MailboxRequests' : 'MailboxConcurrency'} limit.`,
      { 'retry-after': String(isOver ? Math.ceil((traffic.windowEndsAt - now) / 1000) : retryAfterSeconds) },
    );
  traffic.atOnce++;
  return () => traffic.atOnce--;
}

async function withFault(world: World, line: RequestLine, act: () => Answer | Promise<Answer>): Promise<Outcome> {
  const fault = takeFault(world, line);
  if (fault === undefined) return act();
  const { kind = 'status', isCarriedOut = false, delayMs = 1_000 } = fault;
  if (kind === 'slow') {
    const answer = await act();
    await sleep(delayMs);
    return answer;
  }
  // Loses the answer on its way.
  if (isCarriedOut) await act();
  return kind === 'status' ? faultAnswer(world, line, fault) : kind;
}

function takeFault(world: World, { operation, address }: RequestLine): Fault | undefined {
  const fault = world.faults.find(
    ({ on, address: whose, rate = 1 }) =>
      (on === operation || (on === '*' && operation !== 'token' && operation !== 'authorize')) &&
      (whose === undefined || whose.toLowerCase() === address?.toLowerCase()) &&
      world.random.fraction() < rate,
  );
  if (fault === undefined || fault.times === null) return fault;
  fault.times = (fault.times ?? 1) - 1;
  if (fault.times <= 0) world.faults.splice(world.faults.indexOf(fault), 1);
  return fault;
}

const usualCodes: Record<number, string> = {
  401: 'InvalidAuthenticationToken',
  403: 'ErrorAccessDenied',
  404: 'ErrorItemNotFound',
  429: 'ApplicationThrottled',
  503: 'ServiceUnavailable',
  504: 'GatewayTimeout',
};

function faultAnswer(
  world: World,
  { operation }: RequestLine,
  { status = 503, code, retryAfterSeconds, isEmpty = false }: Fault,
): Answer {
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  if (isEmpty) return { status, headers };
  if (operation === 'token') {
    const answer = entraError(code ?? 'temporarily_unavailable');
    return { ...answer, headers };
  }
  const name = code ?? usualCodes[status] ?? 'UnknownError';
  return errorAnswer(world, new GraphError(status, name, name, headers));
}

export function write(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  if (body === undefined) return void response.writeHead(status, { ...headers, 'content-length': 0 }).end();
  const isBytes = Buffer.isBuffer(body);
  const bytes = isBytes ? body : Buffer.from(JSON.stringify(body));
  const type = isBytes ? 'text/plain' : 'application/json';
  response.writeHead(status, { 'content-type': type, 'content-length': bytes.length, ...headers }).end(bytes);
}

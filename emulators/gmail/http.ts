/** The emulator's paths: Gmail's, Google's and the control commands. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';
import { admit } from './api.ts';
import { control, type Steered } from './control.ts';
import { faultAnswer } from './faults.ts';
import type { RequestEntry, World } from './world.ts';

const requestsMost = 100_000;

export async function serve(
  emulator: Steered,
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const body = await bodyOf(request);
  if (url.pathname.startsWith('/control/'))
    return send(response, await control(emulator, url.pathname.slice('/control/'.length), body));
  const { authorization, 'content-type': contentType = '' } = request.headers;
  const path = `${request.method} ${url.pathname}`;
  if (path === 'GET /oauth2/v3/certs') {
    const headers = { 'cache-control': 'public, max-age=19800, must-revalidate, no-transform' };
    return send(response, { status: 200, body: { keys: world.tokens.published() }, headers });
  }
  if (path === 'GET /o/oauth2/v2/auth') {
    const answer = world.oauth.authorize(url.searchParams);
    if ('redirectTo' in answer) return send(response, { status: 302, headers: { location: answer.redirectTo } });
    return void response.writeHead(answer.status, { 'content-type': 'text/html; charset=utf-8' }).end(answer.page);
  }
  const form = new URLSearchParams(body.length > 10_000 ? '' : body.toString());
  if (path === 'POST /revoke')
    return send(response, world.oauth.revokeToken(form.get('token') ?? url.searchParams.get('token') ?? ''));
  if (path === 'POST /token') {
    const address = world.oauth.mailboxOf(form)?.address ?? null;
    const act = () => Promise.resolve(world.oauth.token(form, authorization));
    return befall(world, { operation: 'token', address }, act, response);
  }
  const asked = { method: request.method ?? '', url, authorization, contentType, body };
  const admitted = admit(world, asked);
  if (!('run' in admitted)) return send(response, admitted);
  const { operation, mailbox, run } = admitted;
  return befall(world, { operation, address: mailbox.address }, () => run(asked), response);
}

/** Carries out a request, unless a fault stops it before or after. */
async function befall(
  { clock, faults, requests }: World,
  { operation, address }: Pick<RequestEntry, 'operation' | 'address'>,
  act: () => Promise<Answer>,
  response: ServerResponse,
): Promise<void> {
  const entry: RequestEntry = { operation, address, status: null, at: clock.now().toISOString() };
  if (requests.length >= requestsMost) requests.splice(0, requestsMost / 2);
  requests.push(entry);
  const fault = faults.take(operation, address);
  const { kind = 'status' } = fault ?? {};
  if (fault !== undefined && kind === 'slow')
    await new Promise<void>((done) => clock.after(fault.delayMs ?? 1_000, done));
  const isCarriedOut = fault === undefined || kind === 'slow' || fault.isCarriedOut === true;
  const answer = isCarriedOut ? await act() : undefined;
  if (kind === 'stalled') return;
  if (kind === 'broken') return void response.destroy();
  const given = fault !== undefined && kind === 'status' ? faultAnswer(fault, operation) : answer;
  if (given === undefined) return;
  entry.status = given.status;
  send(response, given);
}

export function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  if (body === undefined) return void response.writeHead(status, headers).end();
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=UTF-8',
      'content-length': Buffer.byteLength(text),
      ...headers,
    })
    .end(text);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  // The request has no encoding set, so chunks are buffers.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

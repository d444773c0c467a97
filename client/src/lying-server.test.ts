import type { RequestListener } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { openServer } from '../../test/harness/small-server.ts';
import { createClient } from './client.ts';
import type { LiveEvent } from './events.ts';
import { signIn } from './session.ts';

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

/** A server that answers as no Kontor does, and the requests that it got. */
async function serve(answer: RequestListener) {
  const asked: { method: string; url: string; body: string; authorization: string | undefined }[] = [];
  const server = await openServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    asked.push({ method, url, body, authorization: headers.authorization });
    answer(request, response);
  });
  closings.push(server.close);
  const open = (times = 0) =>
    createClient({ url: server.url, auth: 'kontor_secret', workspaceId: 'w', retries: { times, waitSecondsMax: 1 } });
  return { ...server, asked, open };
}

const json = (body: unknown, headers = {}): RequestListener => {
  return (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};
const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no fault',
    ({ name, key, status, params }) => ({ name, key, status, params }),
  );
const ticketsPath = '/v1/workspaces/{workspaceId}/tickets';

test.each([301, 302, 307, 308])(
  'a redirect with %i gets neither a key, nor a password, nor a session',
  async (code) => {
    const thief = await serve(json({ accessToken: 'a', refreshToken: 'r', expiresIn: 900, workspace: null }));
    const { url, open, asked } = await serve((request, response) =>
      response.writeHead(code, { location: `${thief.url}${request.url}` }).end(),
    );
    const redirected = { name: 'KontorError', key: 'client.redirected', status: code, params: { to: thief.url } };
    const kontor = open(4);
    const session = { accessToken: 'a', refreshToken: 'secret', expiresAt: 0, workspaceId: 'w' };
    const refreshed = createClient({ url, auth: { load: () => session, save: () => {} }, workspaceId: 'w' });
    const works: Promise<unknown>[] = [
      signIn({ url, email: 'ada@example.org', password: 'secret' }),
      kontor.get('/v1/me'),
      kontor.post(ticketsPath, { body: { subject: 's', body: 'b' } }),
      kontor.upload(new Blob(['file'])),
      kontor.events().next(),
      refreshed.get('/v1/me'),
    ];
    expect(await Promise.all(works.map(faultOf))).toEqual(works.map(() => redirected));
    expect(asked).toHaveLength(works.length);
    expect(thief.asked).toEqual([]);
  },
);

test('an answer that is cut off is asked for again, and then is a fault of the network', async () => {
  let cuts = 1;
  const { open, asked } = await serve((request, response) => {
    if (cuts-- <= 0) return json({ user: { id: 'u' } })(request, response);
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"user":');
    setTimeout(() => response.destroy(), 5);
  });
  expect(await open(4).get('/v1/me')).toEqual({ user: { id: 'u' } });
  expect(asked).toHaveLength(2);
  cuts = 1;
  expect(await faultOf(open().get('/v1/me'))).toMatchObject({ key: 'client.unreachable', status: 0 });
});

test('an answer that is not from Kontor is one error', async () => {
  const { url, open } = await serve((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in to the network of the hotel</p>'),
  );
  const kontor = open();
  const works: Promise<unknown>[] = [
    kontor.get('/v1/me'),
    kontor.pages(ticketsPath).next(),
    kontor.upload(new Blob(['file'])),
    kontor.events().next(),
    signIn({ url, email: 'ada@example.org', password: 'secret' }),
  ];
  const unknown = expect.objectContaining({ key: 'client.unknown_answer', status: 200 });
  expect(await Promise.all(works.map(faultOf))).toEqual(works.map(() => unknown));
});

test.each([{}, null, 'text', { items: {} }, 0])('%j is no list', async (body) => {
  const { open } = await serve(json(body));
  expect(await faultOf(open().pages(ticketsPath).next())).toMatchObject({ key: 'client.unknown_answer' });
});

test('a session without tokens is none', async () => {
  const { url } = await serve(json({ accessToken: 5 }));
  const work = signIn({ url, email: 'ada@example.org', password: 'secret' });
  expect(await faultOf(work)).toMatchObject({ key: 'client.unknown_answer' });
});

test('a list that comes back to a page ends with an error', async () => {
  let page = 0;
  const { open } = await serve((request, response) => {
    const link = `<https://elsewhere.example/?cursor=${'abc'[page++ % 3]}>; rel="next"`;
    json([{ id: page }], { link })(request, response);
  });
  let items = 0;
  const read = async () => {
    for await (const _item of open().pages(ticketsPath)) items++;
  };
  expect(await faultOf(read())).toMatchObject({ key: 'client.unknown_answer' });
  expect(items).toBe(4);
});

test('a wait that takes too long is an error at once', async () => {
  for (const wait of ['9'.repeat(400), '86400']) {
    const { open, asked } = await serve((_request, response) => response.writeHead(429, { 'retry-after': wait }).end());
    expect(await faultOf(open(4).get('/v1/me'))).toMatchObject({ status: 429 });
    expect(asked).toHaveLength(1);
  }
});

const stream = (text: string): RequestListener => {
  return (_request, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
};

test('a stream that asks for no pause is not opened again and again', async () => {
  const { open, asked } = await serve(stream('retry: 0\n\n'));
  const control = new AbortController();
  setTimeout(() => control.abort(), 600);
  for await (const _event of open().events({ signal: control.signal }));
  expect(asked.length).toBeLessThan(6);
});

test('an event that is not JSON, or has no end, is an error', async () => {
  const noEnd: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const more = () => {
      while (response.write('x'.repeat(1_000_000)));
      response.once('drain', more);
    };
    more();
  };
  for (const answer of [stream('event: ticket\ndata: {\n\n'), noEnd]) {
    const { open } = await serve(answer);
    const seen: LiveEvent['event'][] = [];
    const read = async () => {
      for await (const { event } of open().events()) seen.push(event);
    };
    expect(await faultOf(read())).toMatchObject({ key: 'client.unknown_answer' });
    expect(seen).toEqual(['opened']);
  }
});

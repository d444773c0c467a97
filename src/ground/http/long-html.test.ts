import Fastify from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { readyHtml, textOfHtml } from '../lib/html/ready-html.ts';
import { sanitizeHtml } from '../lib/html/sanitize.ts';
import type { Server } from './http.ts';
import { cleanLongHtml } from './long-html.ts';

const user = '01900000-0000-7000-8000-000000000000';
const mention = `<span class="mention" data-user="${user}">@Ann</span>`;
const long = `${mention}<p onclick="x()">a</p>`.repeat(1_000);

const server = Fastify();
cleanLongHtml(server as unknown as Server);
server.post('/', async ({ body }) => {
  const { bodyHtml = '', signatures } = body as { bodyHtml?: string; signatures?: { html: string }[] };
  const html = signatures?.[0]?.html ?? bodyHtml;
  const kept = sanitizeHtml(html, { keepsMentions: true });
  // The second pass and the text must come from the thread as well.
  const ready = readyHtml.getStore();
  const isReady = ready?.cleanWithMentions.has(html) && ready.cleanWithMentions.has(kept) && ready.text.has(kept);
  return { isReady: isReady === true, kept, plain: sanitizeHtml(html), text: textOfHtml(kept) };
});
afterAll(() => server.close());

const answerTo = async (payload: object) => (await server.inject({ method: 'POST', url: '/', payload })).json();
const expected = (html: string) => {
  const kept = sanitizeHtml(html, { keepsMentions: true });
  return { kept, plain: sanitizeHtml(html), text: textOfHtml(kept) };
};

test.each([
  ['HTML of a message', { bodyHtml: long }],
  ['HTML without mentions', { bodyHtml: '<b>a</b>'.repeat(5_000) }],
  ['HTML of a signature', { signatures: [{ html: long }] }],
])('%s that is long comes out of a thread, the same as in place', async (_, payload) => {
  const html = 'bodyHtml' in payload ? payload.bodyHtml : long;
  expect(await answerTo(payload)).toEqual({ isReady: true, ...expected(html) });
});

test('short HTML is made safe in place', async () => {
  expect(await answerTo({ bodyHtml: mention })).toEqual({ isReady: false, ...expected(mention) });
});

test('two requests at once get their own HTML', async () => {
  const other = '<i>b</i>'.repeat(5_000);
  const answers = await Promise.all([answerTo({ bodyHtml: long }), answerTo({ bodyHtml: other })]);
  expect(answers).toEqual([long, other].map((html) => ({ isReady: true, ...expected(html) })));
});

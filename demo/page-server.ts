import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { customer, mailboxes, type Outside } from './customer.ts';
import type { Desk, DeskTicket } from './desk.ts';

/** Allows this server's own files only, and no inline scripts or styles. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const files: Record<string, { name: string; type: string }> = {
  '/': { name: 'customer.html', type: 'text/html; charset=utf-8' },
  '/customer.js': { name: 'customer.js', type: 'text/javascript; charset=utf-8' },
  '/customer.css': { name: 'customer.css', type: 'text/css; charset=utf-8' },
};
const bodyBytesMax = 100_000;

type Answer = { status: number; type?: string; body: string | Buffer };
/** The page starts before the service; the desk follows once the service is ready. */
type Parts = { outside: Outside; desk: Promise<Desk>; onTicket: (ticket: DeskTicket, subject: string) => void };

/** Serves the page of the workshop's customer. @returns its address, on this machine alone */
export async function openPage(parts: Parts): Promise<string> {
  const server = createServer((request, response) => {
    answer(parts, request)
      .catch((error: unknown): Answer => ({ status: 400, body: error instanceof Error ? error.message : 'failed' }))
      .then((told) => write(response, told))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The server listens on TCP, so its address is an object.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answer(parts: Parts, request: IncomingMessage): Promise<Answer> {
  const { method = 'GET', url = '/' } = request;
  const file = files[url];
  if (method === 'GET' && file !== undefined) {
    const body = await readFile(join(import.meta.dirname, 'page', file.name));
    return { status: 200, type: file.type, body };
  }
  if (method === 'GET' && url === '/mails') return inJson(await showMails(parts));
  if (method === 'POST' && url === '/mails') {
    const { receivedId, to, subject, text } = await readMail(request);
    const { outside } = parts;
    const messageId =
      receivedId === undefined ? await outside.write({ to, subject, text }) : await outside.reply(receivedId, text);
    void tellTicket(parts, messageId, subject);
    return inJson({ messageId });
  }
  return { status: 404, body: 'There is nothing here.' };
}

async function showMails({ outside, desk: coming }: Parts): Promise<object> {
  const desk = await coming;
  const mails = await outside.mails();
  const shown = await Promise.all(
    mails.map(async (mail) => ({ ...mail, ticket: await desk.ticketOf(mail.messageId) })),
  );
  return { customer, mailboxes, mails: shown };
}

async function tellTicket({ desk, onTicket }: Parts, messageId: string, subject: string): Promise<void> {
  // If the service is stopping, no ticket will come.
  const ticket = await (await desk).awaitTicket(messageId).catch(() => undefined);
  if (ticket !== undefined) onTicket(ticket, subject);
}

type Written = { receivedId: string | undefined; to: string; subject: string; text: string };

/** Requires JSON: a browser sends it across sites only after a preflight, which this server does not allow. */
async function readMail(request: IncomingMessage): Promise<Written> {
  if (request.headers['content-type'] !== 'application/json') throw new Error('a mail comes as JSON');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Error('the mail is too long');
  }
  const { receivedId, to = '', subject = '', text = '' } = JSON.parse(Buffer.concat(chunks).toString());
  return {
    receivedId: receivedId === undefined ? undefined : String(receivedId),
    to: String(to),
    subject: String(subject),
    text: String(text),
  };
}

function inJson(body: object): Answer {
  return { status: 200, type: 'application/json', body: JSON.stringify(body) };
}

function write(response: ServerResponse, { status, type = 'text/plain; charset=utf-8', body }: Answer): void {
  response
    .writeHead(status, {
      'content-type': type,
      'content-security-policy': contentSecurityPolicy,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    .end(body);
}

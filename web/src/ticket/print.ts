import type { Message, TicketWithMessages } from '../api/client.ts';
import { fullTime } from '../lib/dates.ts';
import { fileSize } from '../lib/file-size.ts';
import { linkify } from '../lib/linkify.ts';
import { trustedHtml } from '../lib/trusted-html.ts';
import mailStyles from '../styles/mail.css?url';
import printStyles from '../styles/print.css?url';
import { withPictures } from '../tickets/mail-html.ts';
import { personOf } from '../tickets/persons.ts';
import { priorityWords } from '../tickets/priority-words.ts';
import { loadWords, words } from '../words/words.ts';
import { mailPolicy } from './message/mail-policy.ts';

const emptyDocument = [
  '<!doctype html><html lang=""><meta charset="utf-8">',
  `<meta http-equiv="Content-Security-Policy" content="${mailPolicy}">`,
  `<link rel="stylesheet" href="${mailStyles}"><link rel="stylesheet" href="${printStyles}"><title>-</title><body>`,
].join('');

/** Pictures that do not load in this time are left out. */
const picturesMs = 10_000;

/**
 * Prints a ticket: its facts, and each of the messages whole. The document is in a frame without scripts and with the
 * policy of shown mail; it has no part of the page around it.
 */
export async function printMessages(ticket: TicketWithMessages, messages: readonly Message[]): Promise<void> {
  await loadWords('later');
  const frame = document.createElement('iframe');
  // The browser prints only frames that may open its dialog.
  frame.setAttribute('sandbox', 'allow-same-origin allow-modals');
  frame.style.cssText = 'position: fixed; left: -200vw; width: 180mm; height: 100vh; border: 0';
  frame.tabIndex = -1;
  frame.title = words('print.title');
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  frame.srcdoc = trustedHtml(emptyDocument);
  document.body.append(frame);
  await loaded;
  const { contentDocument: page, contentWindow: view } = frame;
  if (page === null || view === null) return;
  page.title = `#${ticket.ticketNumber} ${ticket.subject}`;
  page.body.append(...headOf(page, ticket), ...messages.map((message) => articleOf(page, message)));
  await loadPictures(page);
  view.addEventListener('afterprint', () => frame.remove());
  view.focus();
  view.print();
}

function headOf(page: Document, ticket: TicketWithMessages): HTMLElement[] {
  const { subject, ticketNumber, status, priority, tags, requester } = ticket;
  const person = requester === null ? null : [requester.name, requester.email].filter(Boolean).join(', ');
  const facts = [
    `#${ticketNumber}`,
    words(`status.${status}`),
    words('ticket.priorityIs', { priority: priorityWords(priority) }),
    ...tags,
  ];
  return [element(page, 'h1', subject), element(page, 'p', [person, ...facts].filter(Boolean).join(' · '), 'facts')];
}

function articleOf(page: Document, message: Message): HTMLElement {
  const article = page.createElement('article');
  const { author, direction, isInternal, createdAt, to, cc, attachments, redacted } = message;
  if (isInternal) article.className = 'note';
  const header = element(page, 'header', '');
  const address = direction === 'inbound' && author.name !== null ? ` · ${author.email}` : '';
  header.append(
    element(page, 'strong', personOf(message)),
    [
      address,
      isInternal ? ` · ${words('message.note')}` : '',
      ` · ${fullTime(createdAt)}`,
      to.length > 0 ? ` · ${words('message.to', { people: to.join(', ') })}` : '',
      cc.length > 0 ? ` · ${words('message.cc', { people: cc.join(', ') })}` : '',
    ].join(''),
  );
  article.append(header, redacted == null ? bodyOf(page, message) : element(page, 'p', words('print.removed')));
  if (attachments.length > 0)
    article.append(
      element(
        page,
        'p',
        `${words('print.files')} ${attachments.map((file) => `${file.fileName} (${fileSize(file.size)})`).join(', ')}`,
        'files',
      ),
    );
  return article;
}

function bodyOf(page: Document, message: Message): HTMLElement {
  const body = page.createElement('div');
  body.dir = 'auto';
  const { bodyHtml, attachments, showsRemoteImages, remoteImages } = message;
  if (bodyHtml !== null)
    body.innerHTML = trustedHtml(withPictures(bodyHtml, attachments, showsRemoteImages ? remoteImages : []));
  else {
    body.className = 'text';
    for (const { text, href } of linkify(message.body)) {
      const part = href === null ? text : element(page, 'a', text);
      if (typeof part !== 'string') part.setAttribute('href', href ?? '');
      body.append(part);
    }
  }
  for (const link of body.querySelectorAll('a')) {
    const address = link.getAttribute('href') ?? '';
    const isShown = address.includes(link.textContent.trim()) && link.textContent.trim().length > 8;
    if (/^(https?|mailto|tel):/.test(address) && !isShown) link.dataset.address = address.replace(/^mailto:/, '');
  }
  return body;
}

function element(page: Document, name: string, text: string, className = ''): HTMLElement {
  const made = page.createElement(name);
  made.textContent = text;
  made.className = className;
  made.dir = 'auto';
  return made;
}

async function loadPictures(page: Document): Promise<void> {
  const all = [...page.images].map((picture) => picture.decode().catch(() => undefined));
  await Promise.race([Promise.all(all), new Promise((resolve) => setTimeout(resolve, picturesMs))]);
}

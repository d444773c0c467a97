/** Gmail's search: the `q` of messages.list. */
import type { StoredMail } from './mailbox.ts';

type Test = (mail: StoredMail) => boolean;

/**
 * Adjacent terms must all match. `OR`, `{a b}` and `-` work as in Gmail. A word without a known operator searches
 * subject and addresses.
 */
export function readSearch(query: string): { test: Test; namesPlace: boolean } {
  const tokens = query.match(/[{}()]|-(?=[^\s])|[^\s{}()"]*"[^"]*"|[^\s{}()]+/g) ?? [];
  const test = readAll(tokens, '');
  return { test, namesPlace: /\b(?:in|label|is):"?(?:anywhere|spam|trash)\b/i.test(query) };
}

function readAll(tokens: string[], end: string): Test {
  const terms: Test[] = [];
  for (;;) {
    const token = tokens.shift();
    if (token === undefined || token === end) return (mail) => terms.every((term) => term(mail));
    if (token === 'AND') continue;
    if (token !== 'OR') {
      terms.push(readTerm(token, tokens));
      continue;
    }
    const before = terms.pop() ?? (() => false);
    const after = readTerm(tokens.shift() ?? '', tokens);
    terms.push((mail) => before(mail) || after(mail));
  }
}

function readTerm(token: string, tokens: string[]): Test {
  if (token === '(') return readAll(tokens, ')');
  if (token === '-') {
    const term = readTerm(tokens.shift() ?? '', tokens);
    return (mail) => !term(mail);
  }
  if (token !== '{') return readOperator(token.replaceAll('"', ''));
  const choices: Test[] = [];
  for (let next = tokens.shift(); next !== undefined && next !== '}'; next = tokens.shift())
    if (next !== 'OR') choices.push(readTerm(next, tokens));
  return (mail) => choices.some((choice) => choice(mail));
}

function readOperator(token: string): Test {
  const [, operator = '', value = ''] = /^([a-z0-9_]+):(.*)$/is.exec(token) ?? [];
  const wanted = value.toLowerCase();
  const known: Record<string, Test> = {
    in: inPlace(wanted),
    has: hasKind(wanted),
    label: inPlace(wanted),
    is: inPlace(wanted),
    rfc822msgid: ({ head }) => head.messageId === value.replace(/^<|>$/g, ''),
    from: ({ head }) => `${head.from?.name ?? ''} ${head.from?.email ?? ''}`.toLowerCase().includes(wanted),
    to: ({ head }) => [...head.to, ...head.cc, ...head.bcc].some((address) => address.includes(wanted)),
    subject: ({ head }) => head.subject.toLowerCase().includes(wanted),
    after: ({ internalDate }) => internalDate >= instantOf(value),
    before: ({ internalDate }) => internalDate < instantOf(value),
  };
  const text = token.toLowerCase();
  return known[operator.toLowerCase()] ?? (({ head }) => textOf(head).includes(text));
}

function inPlace(place: string): Test {
  if (place === 'anywhere') return () => true;
  if (place === 'read') return ({ labelIds }) => !labelIds.includes('UNREAD');
  const label = place === 'drafts' || place === 'chats' ? place.slice(0, -1).toUpperCase() : place.toUpperCase();
  return ({ labelIds }) => labelIds.includes(label);
}

function hasKind(kind: string): Test {
  const isOwnLabel = (label: string) => !/^[A-Z_]+$/.test(label);
  if (kind === 'nouserlabels') return ({ labelIds }) => !labelIds.some(isOwnLabel);
  return ({ labelIds }) => kind === 'userlabels' && labelIds.some(isOwnLabel);
}

/** Reads seconds since 1970, or a day. */
function instantOf(value: string): number {
  return /^\d{5,}$/.test(value) ? Number(value) * 1000 : Date.parse(`${value.replaceAll('/', '-')}T00:00:00Z`);
}

function textOf({ subject, from, to }: StoredMail['head']): string {
  return [subject, from?.name, from?.email, ...to].join(' ').toLowerCase();
}

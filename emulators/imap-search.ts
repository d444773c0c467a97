/** SEARCH. */
import { setReader, type Token } from './imap-command.ts';
import { dateOf, fieldOf, splitMail } from './imap-headers.ts';
import type { ImapMail } from './imap-mailbox.ts';
import { type ImapSession, knownMails, Refusal } from './imap-world.ts';

type Found = { mail: ImapMail; sequence: number };
type Test = (found: Found) => boolean;

export function searchMails(session: ImapSession, args: Token[], byUid: boolean): string {
  let keys = args;
  let isExtended = false;
  if (String(keys[0]).toUpperCase() === 'RETURN') {
    isExtended = true;
    keys = keys.slice(2);
  }
  if (String(keys[0]).toUpperCase() === 'CHARSET') keys = keys.slice(2);
  const mails = knownMails(session);
  const highest = { uid: mails.at(-1)?.mail.uid ?? 0, sequence: session.known.size };
  const test = readAll([...keys], highest);
  const numbers = mails.filter(test).map(({ mail, sequence }) => (byUid ? mail.uid : sequence));
  if (isExtended) session.write(`* ESEARCH${byUid ? ' UID' : ''}${numbers.length ? ` ALL ${numbers}` : ''}\r\n`);
  else session.write(`* SEARCH${numbers.map((number) => ` ${number}`).join('')}\r\n`);
  return 'OK SEARCH completed';
}

function readAll(keys: Token[], highest: { uid: number; sequence: number }): Test {
  const tests: Test[] = [];
  while (keys.length > 0) tests.push(readKey(keys, highest));
  return (found) => tests.every((test) => test(found));
}

const flagKeys: Record<string, string> = {
  SEEN: '\\Seen',
  ANSWERED: '\\Answered',
  DELETED: '\\Deleted',
  FLAGGED: '\\Flagged',
  DRAFT: '\\Draft',
};

const addressKeys = ['FROM', 'TO', 'CC', 'BCC', 'SUBJECT'];

/** The day of a date as a number: SEARCH has no times. */
const dayOf = (date: Date) => Math.floor(date.getTime() / 86_400_000);

/** Takes one key with its arguments from the front. */
function readKey(keys: Token[], highest: { uid: number; sequence: number }): Test {
  const key = keys.shift();
  if (Array.isArray(key)) return readAll([...key], highest);
  const name = String(key).toUpperCase();
  const argument = () => String(keys.shift() ?? '');
  const flag = flagKeys[name.replace(/^UN/, '')];
  if (flag !== undefined) return ({ mail }) => mail.flags.has(flag) !== name.startsWith('UN');
  if (addressKeys.includes(name)) return hasField(name, argument());
  switch (name) {
    case 'ALL':
      return () => true;
    case 'UID': {
      const isIn = setReader(argument(), highest.uid);
      return ({ mail }) => isIn(mail.uid);
    }
    case 'HEADER':
      return hasField(argument(), argument());
    case 'SINCE':
    case 'BEFORE':
    case 'ON': {
      const day = dayOf(dateOf(argument()));
      if (name === 'ON') return ({ mail }) => dayOf(mail.internalDate) === day;
      return ({ mail }) => dayOf(mail.internalDate) >= day === (name === 'SINCE');
    }
    case 'NOT': {
      const test = readKey(keys, highest);
      return (found) => !test(found);
    }
    case 'OR': {
      const tests = [readKey(keys, highest), readKey(keys, highest)];
      return (found) => tests.some((test) => test(found));
    }
    case 'MODSEQ': {
      const least = Number(argument());
      return ({ mail }) => mail.modseq >= least;
    }
    case 'LARGER':
    case 'SMALLER': {
      const bytes = Number(argument());
      return ({ mail }) => (name === 'LARGER' ? mail.raw.length > bytes : mail.raw.length < bytes);
    }
    case 'TEXT':
    case 'BODY': {
      const text = argument().toLowerCase();
      return ({ mail }) => mail.raw.toString('latin1').toLowerCase().includes(text);
    }
    default: {
      if (!/^[\d:,*]+$/.test(name)) throw new Refusal(`Unknown search key ${name}`, 'BAD');
      const isIn = setReader(name, highest.sequence);
      return ({ sequence }) => isIn(sequence);
    }
  }
}

function hasField(field: string, text: string): Test {
  const wanted = text.toLowerCase();
  return ({ mail }) => {
    const { header } = splitMail(mail.raw.toString('latin1'));
    return fieldOf(header, field)?.toLowerCase().includes(wanted) ?? false;
  };
}

/** SEARCH. */
import { setReader, type Token } from './command.ts';
import { dateOf, fieldOf, splitMail } from './headers.ts';
import type { ImapMail } from './mailbox.ts';
import { type ImapSession, knownMails, Refusal } from './world.ts';

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
  const test = readAll([...keys], { ...highest, zoneMs: session.world.quirks.zoneHours * 3_600_000 });
  const numbers = mails.filter(test).map(({ mail, sequence }) => (byUid ? mail.uid : sequence));
  if (isExtended) session.write(`* ESEARCH${byUid ? ' UID' : ''}${numbers.length ? ` ALL ${numbers}` : ''}\r\n`);
  else session.write(`* SEARCH${numbers.map((number) => ` ${number}`).join('')}\r\n`);
  return 'OK SEARCH completed';
}

type Scope = {
  /** The highest numbers, for `*`. */
  uid: number;
  sequence: number;
  /** The server's time zone. */
  zoneMs: number;
};

function readAll(keys: Token[], scope: Scope): Test {
  const tests: Test[] = [];
  while (keys.length > 0) tests.push(readKey(keys, scope));
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
const dayOf = (ms: number) => Math.floor(ms / 86_400_000);

/** Takes one key with its arguments from the front. */
function readKey(keys: Token[], scope: Scope): Test {
  const key = keys.shift();
  if (Array.isArray(key)) return readAll([...key], scope);
  const name = String(key).toUpperCase();
  const argument = () => String(keys.shift() ?? '');
  const flag = flagKeys[name.replace(/^UN/, '')];
  if (flag !== undefined) return ({ mail }) => mail.flags.has(flag) !== name.startsWith('UN');
  if (addressKeys.includes(name)) return hasField(name, argument());
  switch (name) {
    case 'ALL':
      return () => true;
    case 'UID': {
      const isIn = setReader(argument(), scope.uid);
      return ({ mail }) => isIn(mail.uid);
    }
    case 'HEADER':
      return hasField(argument(), argument());
    case 'SINCE':
    case 'BEFORE':
    case 'ON': {
      const day = dayOf(dateOf(argument()).getTime());
      const dayAt = ({ mail }: Found) => dayOf(mail.internalDate.getTime() + scope.zoneMs);
      return (found) => (name === 'ON' ? dayAt(found) === day : dayAt(found) >= day === (name === 'SINCE'));
    }
    case 'NOT': {
      const test = readKey(keys, scope);
      return (found) => !test(found);
    }
    case 'OR': {
      const tests = [readKey(keys, scope), readKey(keys, scope)];
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
      const isIn = setReader(name, scope.sequence);
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

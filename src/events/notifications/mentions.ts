import type { UserId } from '../../ground/lib/ids.ts';
import { usersOfHtml } from './html-mentions.ts';

/**
 * The accounts that a message mentions, each once, in order: as `@[Name](user:<userId>)` in its text, or by a span in
 * its HTML. The accounts need not be members.
 */
export type Mentions = {
  mentioned: UserId[];
  /** Accounts named only in quotes or code, or beyond the limit of mentions per message. */
  passedOver: UserId[];
};

const mentionsMax = 100;
/** Text from a form has CRLF. */
const lineEnd = /\r\n?|\n/;

/** @param html as `sanitizeHtml` returns it with `keepsMentions` */
export function mentionsIn(text: string, html: string | null): Mentions {
  const inText = usersOfText(text);
  const inHtml = usersOfHtml(html ?? '');
  const mentioned = [...new Set([...inText.said, ...inHtml.said])].slice(0, mentionsMax);
  const named = new Set([...inText.named, ...inHtml.named]);
  for (const id of mentioned) named.delete(id);
  return { mentioned, passedOver: [...named] };
}

/** Replaces mentions by plain names, for the recipients of a mail. */
export function textWithoutMentions(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (const place of placesIn(text)) {
    kept.push(text.slice(from, place.from), '@', place.name);
    from = place.to;
  }
  return [...kept, text.slice(from)].join('');
}

/**
 * Skips quotes and code as Markdown defines them (CommonMark §4.5, §5.1, §6.1), with one exception: a code span ends
 * with its line, because bodies are plain text first.
 */
function usersOfText(text: string): { said: Set<UserId>; named: Set<UserId> } {
  const said = new Set<UserId>();
  const named = new Set<UserId>();
  let fence: string | undefined;
  // Most texts mention nobody, and a long text has 100,000 lines.
  for (const line of text.includes(nameEnd) ? text.split(lineEnd) : []) {
    const isFence: boolean = fence === undefined ? fenceOf(line) !== undefined : closes(fence, line);
    if (isFence) fence = fence === undefined ? fenceOf(line) : undefined;
    if (!line.includes(nameEnd)) continue;
    const isSaid = fence === undefined && !isFence && !/^ {0,3}>/.test(line);
    for (const id of isSaid ? usersIn(withoutCode(line)) : []) said.add(id);
    for (const id of usersIn(line)) named.add(id);
  }
  return { said, named };
}

function fenceOf(line: string): string | undefined {
  const [, fence, info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)/.exec(line) ?? [];
  return fence?.startsWith('`') && info.includes('`') ? undefined : fence;
}

function closes(fence: string, line: string): boolean {
  const end = /^ {0,3}(`+|~+)\s*$/.exec(line)?.[1];
  return end !== undefined && end[0] === fence[0] && end.length >= fence.length;
}

/** Removes code spans: text between two backtick runs of equal length. Linear in the number of runs. */
function withoutCode(line: string): string {
  const runs = [...line.matchAll(/`+/g)];
  if (runs.length < 2) return line;
  const closingAt = new Map<number, number>();
  const nextOfLength = new Map<number, number>();
  for (let index = runs.length - 1; index >= 0; index--) {
    const length = runs[index]?.[0].length ?? 0;
    const next = nextOfLength.get(length);
    if (next !== undefined) closingAt.set(index, next);
    nextOfLength.set(length, index);
  }
  const kept: string[] = [];
  let from = 0;
  for (let index = 0; index < runs.length; index++) {
    const [opening, closing] = [runs[index], runs[closingAt.get(index) ?? -1]];
    if (opening === undefined || closing === undefined) continue;
    kept.push(line.slice(from, opening.index));
    from = closing.index + closing[0].length;
    index = closingAt.get(index) ?? index;
  }
  return [...kept, line.slice(from)].join(' ');
}

const nameEnd = '](user:';
const behindName = /\]\(user:([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\)/g;
const nameBegin = '@[';
const nameLengthMax = 200;

function usersIn(text: string): UserId[] {
  return placesIn(text).map(({ userId }) => userId);
}

type MentionPlace = { from: number; to: number; name: string; userId: UserId };

/** Searches for the ends of mentions, which are rare. A text may contain many `@[`, the beginning of a mention. */
function placesIn(text: string): MentionPlace[] {
  return [...text.matchAll(behindName)].flatMap(({ index, 0: end, 1: id = '' }) => {
    const earliest = Math.max(index - nameLengthMax - nameBegin.length, 0);
    const before = text.slice(earliest, index);
    const begin = before.lastIndexOf(nameBegin);
    const name = before.slice(begin + nameBegin.length);
    const isMention = begin >= 0 && name !== '' && !name.includes('](');
    // The cast is safe: the pattern is that of an id.
    return isMention
      ? [{ from: earliest + begin, to: index + end.length, name, userId: id.toLowerCase() as UserId }]
      : [];
  });
}

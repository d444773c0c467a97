import type { UserId } from '../lib/ids.ts';

/** The accounts that a text mentions as `@[Name](user:<userId>)`, each once, in order; whether they are members is not known here. */
export type Mentions = {
  mentioned: UserId[];
  /** Named only in what is quoted or is code, or beyond the most that one text may mention. */
  passedOver: UserId[];
};

const mentionsMax = 100;

/** Quotes and code as Markdown has them (CommonMark §4.5, §5.1, §6.1); code within a line ends with it, as bodies are plain text first. */
export function mentionsIn(text: string): Mentions {
  const said = new Set<UserId>();
  const named = new Set<UserId>();
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const isFence: boolean = fence === undefined ? fenceOf(line) !== undefined : closes(fence, line);
    if (isFence) fence = fence === undefined ? fenceOf(line) : undefined;
    const isSaid = fence === undefined && !isFence && !/^ {0,3}>/.test(line);
    for (const id of isSaid ? usersIn(withoutCode(line)) : []) said.add(id);
    for (const id of usersIn(line)) named.add(id);
  }
  const mentioned = [...said].slice(0, mentionsMax);
  for (const id of mentioned) named.delete(id);
  return { mentioned, passedOver: [...named] };
}

function fenceOf(line: string): string | undefined {
  const [, fence, info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  return fence?.startsWith('`') && info.includes('`') ? undefined : fence;
}

function closes(fence: string, line: string): boolean {
  const end = /^ {0,3}(`+|~+)\s*$/.exec(line)?.[1];
  return end !== undefined && end[0] === fence[0] && end.length >= fence.length;
}

/** What stands between two runs of backticks of one length is code. In one pass, whatever the runs are. */
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

const mention = /@\[[^\]\n]{1,200}\]\(user:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\)/gi;

function usersIn(text: string): UserId[] {
  return [...text.matchAll(mention)].map(([, id = '']) => id.toLowerCase());
}

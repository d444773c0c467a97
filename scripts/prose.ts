/**
 * Counts comment sentences that stand on a pronoun without a noun, such as "whoever" or "that one".
 * `node scripts/prose.ts [--list] [folder …]` reads all folders of code by default.
 */
import { globSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const { values, positionals } = parseArgs({
  options: { list: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const folders =
  positionals.length > 0 ? positionals : ['src', 'web/src', 'test', 'emulators', 'bench', 'demo', 'scripts'];

const verb = 'is|are|was|were|has|have|had|may|can|must|needs|takes|goes|comes|does|stays|waits';
const bare = [
  /\b(who|what)ever\b/i,
  /\b(that|this|each|every|no|such an?|the) ones?\b(?=[.,;:)]|$| )/i,
  new RegExp(`\\b(those|ones?|others)\\b(?=[.,;:)]|$| (that|who|which|${verb})\\b)`, 'i'),
  new RegExp(`\\bwhat (${verb}|it|they|he|she|we|one|a|an|the|came|remains|left)\\b`, 'i'),
  /\b(anybody|somebody|nobody)['’]s\b|\bis none\b/i,
];
/** A comment that begins so names nothing before it. */
const bareStart = new RegExp(`^(it|they|these|those|this|that) (${verb})\\b`, 'i');

type Sentence = { path: string; line: number; text: string; isFirst: boolean };

function commentsOf(path: string): Sentence[] {
  const text = readFileSync(path, 'utf8');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ];
    for (const { pos, end } of ranges) found.set(pos, end);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const comments: { pos: number; end: number }[] = [];
  for (const [pos, end] of [...found].sort(([a], [b]) => a - b)) {
    const last = comments.at(-1);
    // Line comments below each other are one text.
    const isNext = last !== undefined && text.startsWith('//', pos) && /^\s*$/.test(text.slice(last.end, pos));
    if (isNext && text.startsWith('//', last.pos)) last.end = end;
    else comments.push({ pos, end });
  }
  return comments.flatMap(({ pos, end }) => {
    const line = source.getLineAndCharacterOfPosition(pos).line + 1;
    return sentencesOf(text.slice(pos, end)).map((sentence, index) => ({
      path,
      line,
      text: sentence,
      isFirst: index === 0,
    }));
  });
}

function sentencesOf(comment: string): string[] {
  return comment
    .replace(/^\/\*\*?|\*\/$/g, '')
    .replace(/^[ \t]*(\/\/|\*)/gm, '')
    .replace(/`[^`]*`/g, 'code')
    .replace(/@(param|returns|throws|see)\b/g, '. ')
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?]) (?=[A-Z`])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\p{L}/u.test(sentence));
}

const paths = folders
  .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`))
  .filter((path) => !path.endsWith('.d.ts'));
const sentences = paths.flatMap(commentsOf);
const standing = sentences.filter(
  ({ text, isFirst }) => bare.some((pattern) => pattern.test(text)) || (isFirst && bareStart.test(text)),
);
if (values.list) for (const { path, line, text } of standing) console.log(`${path}:${line} ${text}`);
const share = ((100 * standing.length) / Math.max(1, sentences.length)).toFixed(1);
console.log(
  `${sentences.length} sentences in comments, ${standing.length} (${share} %) stand on a pronoun without a noun`,
);

import { readLines } from '../src/operations/transfer/read-lines.ts';

/** A row of a dump, by the names of its columns. Numbers come as text. */
export type DumpRow = Record<string, string | null>;

export type DumpedRow = { table: string; row: DumpRow };

type Problem = (where: string, reason: string) => void;

/** A statement of a dump holds some megabytes at most. */
const statementCharsMax = 256 * 1024 ** 2;

/**
 * The rows of a dump that `mariadb-dump`, `mysqldump` or phpMyAdmin wrote. It needs the statements that make the
 * tables, or inserts that name their columns. Only rows of these tables are read.
 */
export async function* readSqlDump(
  path: string,
  tables: ReadonlySet<string>,
  problem: Problem,
): AsyncGenerator<DumpedRow> {
  const columns = new Map<string, string[]>();
  for await (const { line, text } of statementsIn(path, problem)) {
    const made = /^create table (?:if not exists )?`?(\w+)`?\s*\(/i.exec(text);
    if (made?.[1] !== undefined) columns.set(made[1], columnsIn(text.slice(made[0].length)));
    const insert = /^(?:insert(?: ignore)?|replace) into `?(\w+)`?\s*(\([^)]*\))?\s*values\s*/i.exec(text);
    const table = insert?.[1];
    if (insert === null || table === undefined || !tables.has(table)) continue;
    const names = insert[2] === undefined ? columns.get(table) : namesIn(insert[2]);
    if (names === undefined) {
      problem(`line ${line}`, `nobody knows the columns of ${table}`);
      continue;
    }
    for (const values of rowsIn(text, insert[0].length))
      if (values.length === names.length)
        yield { table, row: Object.fromEntries(names.map((name, at) => [name, values[at] ?? null])) };
      else problem(`line ${line}`, `a row of ${table} has ${values.length} values for ${names.length} columns`);
  }
}

/** The statements of a dump, without comments. Dumps write one line break after each, and none within strings. */
async function* statementsIn(path: string, problem: Problem): AsyncGenerator<{ line: number; text: string }> {
  let text = '';
  let begin = 0;
  for await (const line of readLines(path)) {
    if ('fault' in line) {
      problem(`line ${line.number}`, line.fault);
      text = '';
      continue;
    }
    if (text === '' && /^\s*(?:--|#|\/\*.*\*\/;?\s*$|$)/.test(line.text)) continue;
    if (text === '') begin = line.number;
    text = text === '' ? line.text : `${text}\n${line.text}`;
    if (!/;\s*$/.test(line.text) || isInString(text)) {
      if (text.length <= statementCharsMax) continue;
      problem(`line ${begin}`, 'the statement is too long');
    } else yield { line: begin, text };
    text = '';
  }
  if (text !== '') problem(`line ${begin}`, 'the statement has no end');
}

/** Whether a text of SQL ends within a string. */
function isInString(text: string): boolean {
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? '';
    if (quote !== '' && letter === '\\' && quote !== '`') at += 1;
    else if (quote === letter) quote = '';
    else if (quote === '' && (letter === "'" || letter === '"' || letter === '`')) quote = letter;
  }
  return quote !== '';
}

function columnsIn(definition: string): string[] {
  return [...definition.matchAll(/^\s*`(\w+)`\s/gm)].map((match) => match[1] ?? '');
}

function namesIn(list: string): string[] {
  return [...list.matchAll(/\w+/g)].map(([name]) => name);
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', 0: '\0', b: '\b', Z: '\x1a' };
const bare = /[^,()\s]+/y;
const between = /[\s,]*/y;

/** The values of each row in parentheses. Ends at the first thing that is no value. */
function* rowsIn(text: string, from: number): Generator<(string | null)[]> {
  let at = from;
  const skip = () => {
    between.lastIndex = at;
    between.exec(text);
    at = between.lastIndex;
  };
  for (skip(); text[at] === '('; skip()) {
    at += 1;
    const values: (string | null)[] = [];
    for (skip(); at < text.length && text[at] !== ')'; skip()) {
      const [value, end] = valueAt(text, at);
      if (end === at) return;
      values.push(value);
      at = end;
    }
    at += 1;
    yield values;
  }
}

/** @returns the value and the place behind it */
function valueAt(text: string, from: number): [string | null, number] {
  // A string may have its charset before it.
  const [introducer = ''] = /^_\w+\s*/.exec(text.slice(from, from + 20)) ?? [];
  const at = from + introducer.length;
  if (text[at] === "'") return stringAt(text, at + 1);
  bare.lastIndex = at;
  const [word = ''] = bare.exec(text) ?? [];
  if (/^null$/i.test(word)) return [null, at + word.length];
  const hex = /^0x([0-9a-f]*)$/i.exec(word)?.[1];
  return [hex === undefined ? word : Buffer.from(hex, 'hex').toString(), at + word.length];
}

function stringAt(text: string, from: number): [string, number] {
  let value = '';
  let begin = from;
  for (let at = from; at < text.length; at++) {
    const letter = text[at];
    if (letter === '\\') {
      const next = text[at + 1] ?? '';
      value += text.slice(begin, at) + (escapes[next] ?? next);
      at += 1;
      begin = at + 1;
    } else if (letter === "'") {
      value += text.slice(begin, at);
      if (text[at + 1] !== "'") return [value, at + 1];
      at += 1;
      begin = at;
    }
  }
  return [value, text.length];
}

/**
 * SQL as a value: text with numbered placeholders, and its parameters. Made only by the `sql` tag, so that whatever is
 * interpolated is either a parameter or another `Sql`, never text.
 */
export class Sql {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
  readonly isPlannedAnew: boolean;

  constructor(strings: readonly string[], values: readonly unknown[], isPlannedAnew = false) {
    this.strings = strings;
    this.values = values;
    this.isPlannedAnew = isPlannedAnew;
  }
}

/** `` sql`select … where id = ${id} and ${condition}` `` */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  return new Sql(strings, values);
}

/**
 * A statement that is planned for its own values each time. From the sixth run on PostgreSQL may take one plan for all of
 * them, which for values as different as a rare word and a common one reads a whole workspace for the rare one.
 */
export function plannedAnew({ strings, values }: Sql): Sql {
  return new Sql(strings, values, true);
}

const literalLimits = new Map([21, 26, 51, 101, 201].map((rows) => [rows, new Sql([`limit ${rows}`], [])]));

/**
 * `limit` of a page and the row behind it. The usual sizes stand in the text: with a size that it cannot see PostgreSQL finds no
 * plan that it would keep, and plans each time.
 */
export function limitTo(rows: number): Sql {
  return literalLimits.get(rows) ?? sql`limit ${rows}`;
}

export const emptySql: Sql = new Sql([''], []);

/** Joins parts with a separator that stands in the code, such as `and` or a comma. */
export function joinSql(parts: readonly Sql[], separator: ' and ' | ', '): Sql {
  const strings = ['', ...Array.from({ length: Math.max(parts.length - 1, 0) }, () => separator), ''];
  return parts.length === 0 ? emptySql : new Sql(strings, parts);
}

export type SqlText = { text: string; values: unknown[]; name: string };

/** Flattens nested parts and numbers the placeholders; the name is the text's own, so that PostgreSQL parses each text once a connection. */
export function toText(query: Sql): SqlText {
  if (query.isPlannedAnew || query.values.some((value) => value instanceof Sql)) {
    const values: unknown[] = [];
    const text = flatten(query, values);
    return { text, values, name: query.isPlannedAnew ? '' : statementName(text) };
  }
  let known = flatTexts.get(query.strings);
  if (known === undefined) {
    const text = flatten(query, []);
    known = { text, name: statementName(text) };
    flatTexts.set(query.strings, known);
  }
  return { ...known, values: [...query.values] };
}

function flatten({ strings, values }: Sql, into: unknown[]): string {
  let text = strings[0] ?? '';
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (value instanceof Sql) text += flatten(value, into);
    else {
      into.push(value);
      text += `$${into.length}`;
    }
    text += strings[index + 1] ?? '';
  }
  return text;
}

// The texts are the code's own, so their number is bounded by it.
const names = new Map<string, string>();
/** Texts of statements without nested parts, by the strings of their place in the code. */
const flatTexts = new WeakMap<readonly string[], { text: string; name: string }>();

function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `k${names.size + 1}`;
    names.set(text, name);
  }
  return name;
}

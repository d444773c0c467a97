/**
 * SQL as a value: text and parameters. Only the `sql` tag makes such values from templates, so each interpolated value
 * is a parameter or another `Sql`, never text.
 */
export class Sql {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
  readonly manner: Manner;

  constructor(strings: readonly string[], values: readonly unknown[], manner: Manner = 'alone') {
    this.strings = strings;
    this.values = values;
    this.manner = manner;
  }
}

/** How a statement runs: `quick` counts only outside a transaction. */
export type Manner = 'alone' | 'planned anew' | 'quick';

/** `` sql`select … where id = ${id} and ${condition}` `` */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  return new Sql(strings, values);
}

/**
 * A statement that PostgreSQL plans anew for its values each time. Otherwise PostgreSQL may use one generic plan from
 * the sixth run on. With values as different as a rare and a common word, such a plan reads a whole workspace for the
 * rare word.
 */
export function plannedAnew({ strings, values }: Sql): Sql {
  return new Sql(strings, values, 'planned anew');
}

/**
 * A statement that only reads a few rows by their keys. Outside a transaction it shares a round trip with other
 * statements, so they wait for one another (`shared-trips.ts`).
 */
export function quick({ strings, values }: Sql): Sql {
  return new Sql(strings, values, 'quick');
}

const literalLimits = new Map([21, 26, 51, 101, 201].map((rows) => [rows, new Sql([`limit ${rows}`], [])]));

/**
 * `limit` for a page and one row more. Usual sizes stand in the text as literals. With a parameter PostgreSQL finds no
 * generic plan worth keeping, and plans each time.
 */
export function limitTo(rows: number): Sql {
  return literalLimits.get(rows) ?? sql`limit ${rows}`;
}

export const emptySql: Sql = new Sql([''], []);

/** Joins parts with `and` or a comma. */
export function joinSql(parts: readonly Sql[], separator: ' and ' | ', '): Sql {
  return parts.length === 0 ? emptySql : new Sql(stringsBetween(parts.length, separator), parts);
}

const joints = new Map<string, readonly string[]>();

/** Returns the same array each time, because `toText` recognises a text by the identity of its strings. */
function stringsBetween(count: number, separator: string): readonly string[] {
  const key = `${count}${separator}`;
  let strings = joints.get(key);
  if (strings === undefined) {
    strings = ['', ...Array.from({ length: count - 1 }, () => separator), ''];
    joints.set(key, strings);
  }
  return strings;
}

export type SqlText = { text: string; values: unknown[]; name: string };

/** A node in the tree of known texts: the parts that may come next, and the text that ends here. */
type Shape = { next: Map<unknown, Shape>; text?: string; name: string };

const root: Shape = { next: new Map(), name: '' };
const parameter = Symbol('parameter');

/**
 * Flattens nested parts and numbers the placeholders. Statements from the same places in the code share one cached
 * text. Each text has its own name, so that PostgreSQL parses it once per connection.
 * The code bounds the number of texts. `planned anew` statements are not cached, because lists with arbitrary filters
 * make more texts than are worth keeping.
 */
export function toText(query: Sql): SqlText {
  const values: unknown[] = [];
  if (query.manner === 'planned anew') return { text: flatten(query, values), values, name: '' };
  const shape = shapeOf(query, root, values);
  if (shape.text === undefined) {
    shape.text = flatten(query, []);
    shape.name = nameOf(shape.text);
  }
  return { text: shape.text, values, name: shape.name };
}

function shapeOf({ strings, values }: Sql, from: Shape, into: unknown[]): Shape {
  let shape = nextOf(from, strings);
  for (const value of values) {
    if (value instanceof Sql) shape = shapeOf(value, shape, into);
    else {
      into.push(value);
      shape = nextOf(shape, parameter);
    }
  }
  return shape;
}

function nextOf({ next }: Shape, part: unknown): Shape {
  let shape = next.get(part);
  if (shape === undefined) {
    shape = { next: new Map(), name: '' };
    next.set(part, shape);
  }
  return shape;
}

function flatten({ strings, values }: Sql, into: unknown[]): string {
  let text = strings[0] ?? '';
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    text += value instanceof Sql ? flatten(value, into) : `$${into.push(value)}`;
    text += strings[index + 1] ?? '';
  }
  return text;
}

/** The value of a column of JSON. */
export function jsonOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `k${names.size + 1}`;
    names.set(text, name);
  }
  return name;
}

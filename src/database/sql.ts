/**
 * SQL as a value: text with numbered placeholders, and its parameters. Made only by the `sql` tag, so that whatever is
 * interpolated is either a parameter or another `Sql`, never text.
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

/** How a statement is run where it is no part of a transaction. */
export type Manner = 'alone' | 'planned anew' | 'quick';

/** `` sql`select … where id = ${id} and ${condition}` `` */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  return new Sql(strings, values);
}

/**
 * A statement that is planned for its own values each time. From the sixth run on PostgreSQL may take one plan for all of
 * them, which for values as different as a rare word and a common one reads a whole workspace for the rare one.
 */
export function plannedAnew({ strings, values }: Sql): Sql {
  return new Sql(strings, values, 'planned anew');
}

/**
 * A statement that only reads, a few rows by their keys: outside of a transaction it shares its round trip with others, and they
 * wait for one another (`shared-trips.ts`).
 */
export function quick({ strings, values }: Sql): Sql {
  return new Sql(strings, values, 'quick');
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
  return parts.length === 0 ? emptySql : new Sql(stringsBetween(parts.length, separator), parts);
}

const joints = new Map<string, readonly string[]>();

/** The same ones each time: by them a text is known. */
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

/** Of a text: which strings of the code come next in it, and which text it is where none does. */
type Shape = { next: Map<unknown, Shape>; text?: string; name: string };

const root: Shape = { next: new Map(), name: '' };
const parameter = Symbol('parameter');

/**
 * Flattens nested parts and numbers the placeholders. A text is made once for all statements whose parts are of the same places in
 * the code; its name is its own, so that PostgreSQL parses each text once a connection. Both are bounded by the code, which of what is
 * planned anew, such as lists by any filters at all, makes more than are worth keeping.
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

const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `k${names.size + 1}`;
    names.set(text, name);
  }
  return name;
}

/**
 * The description of a table, from which SQL, export, import, erasure and the place on a cluster are made.
 * `tables.test.ts` compares it with PostgreSQL's catalogue.
 */
export type Table = {
  place: TablePlace;
  /** Why an export leaves the table out. Without it, an export carries the rows. */
  leftOut?: string;
  /** All columns in the order of the export; of a table that is left out, those with text. */
  columns: Readonly<Record<string, Column>>;
};

/**
 * Where a Citus cluster keeps a table (docs/scale.md).
 * - `workspace`: rows are spread by `workspace_id`; all rows of a workspace are on one node.
 * - `copied`: each node has a copy. Such a table is read with tables of a workspace, and seldom written, because Citus
 *   lets its writers wait for one another.
 * - `coordinator`: only the coordinator has it. No statement joins it with tables of a workspace.
 */
export type TablePlace = 'workspace' | 'copied' | 'coordinator';

/** A column with text does not compile without its kind of personal data. */
export type Column = { isInner?: true; isOfStub?: true; isNeverNull?: true } & (
  | Told
  | { type: ColumnType; exported: 'derived' | 'summary'; personal?: never }
);

type Told = { exported?: Exported } & (
  | { type: 'text'; personal: Untouched | 'text' | 'html' | 'forget' }
  | { type: 'text[]'; personal: Untouched | 'addresses' | 'forget' }
  | { type: 'json'; personal: Untouched | 'json' }
  | { type: Exclude<ColumnType, 'text' | 'text[]' | 'json'>; personal?: never }
);

/** PostgreSQL's types; a `time` has milliseconds, a `fine time` microseconds. */
export type ColumnType =
  | 'uuid'
  | 'uuid[]'
  | 'integer'
  | 'integer[]'
  | 'boolean'
  | 'time'
  | 'fine time'
  | 'date'
  | 'text'
  | 'text[]'
  | 'json'
  | 'search'
  | 'transaction';

/** What a record of an export without the field means. Columns of these types are never null. */
export const defaults: Partial<Record<ColumnType, string>> = { boolean: 'false', 'text[]': "'{}'", 'uuid[]': "'{}'" };

/**
 * Of the other kinds, an erasure of a contact takes addresses and names out of the text, and people out of lists. It
 * forgets a text of the kind `forget`.
 */
type Untouched =
  /** A word, a key or a hash of the service or of a program. */
  | 'none'
  /** Of the team, its mailboxes or its programs: no contact writes it. */
  | 'team'
  /** The row goes by itself within days. */
  | 'passing'
  /** Code of `erasures/` decides; such a row may go as a whole. */
  | 'by hand';

/** How an export carries a column. By default under its name in camel case, and a later import replaces it. */
type Exported =
  /** Carried, and a later import of the same record leaves it as it is. */
  | 'once'
  /** Told by the record in which the row stands. */
  | 'by place'
  /** Made from other columns of the row, by an import and an erasure too. */
  | 'derived'
  /** Made from other rows, by an import and an erasure too. */
  | 'summary'
  /** Left out for a reason: an import writes a value of its own. */
  | { leftOut: string };

export const uuid = { type: 'uuid' } as const;
export const uuids = { type: 'uuid[]' } as const;
export const integer = { type: 'integer' } as const;
export const integers = { type: 'integer[]' } as const;
export const flag = { type: 'boolean' } as const;
export const time = { type: 'time' } as const;
export const date = { type: 'date' } as const;
export const fineTime = { type: 'fine time' } as const;
export const addresses = { type: 'text[]', personal: 'addresses' } as const;
export const html = { type: 'text', personal: 'html' } as const;
export const text = (personal: Untouched | 'text' | 'forget') => ({ type: 'text', personal }) as const;
export const texts = (personal: Untouched | 'forget') => ({ type: 'text[]', personal }) as const;
export const json = (personal: Untouched | 'json') => ({ type: 'json', personal }) as const;

/** The id of a record. */
export const key = { type: 'uuid', exported: 'once' } as const;
/** A column that says to what a row belongs. */
export const place = { type: 'uuid', exported: 'by place' } as const;

export const once = (column: Told): Told => ({ ...column, exported: 'once' });
export const derived = (type: ColumnType) => ({ type, exported: 'derived' }) as const;
export const summary = (type: ColumnType) => ({ type, exported: 'summary' }) as const;
export const leftOut = (column: Told, reason: string): Told => ({ ...column, exported: { leftOut: reason } });
/** A redaction leaves the text, because it tells who wrote when to whom. It takes all others of a message away. */
export const ofStub = (column: Told): Told & { isOfStub: true } => ({ ...column, isOfStub: true });
/** A redaction writes an empty text. */
export const neverNull = (column: Told): Told & { isNeverNull: true } => ({ ...column, isNeverNull: true });
/** No answer of the API shows the column. */
export const inner = (column: Column): Column => ({ ...column, isInner: true });

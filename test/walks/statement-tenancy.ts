/**
 * Finds the tables of a workspace in a statement that lack their own `workspace_id = $n`. A join with a bound table, or
 * a comparison with an outer row, does not count. Parses only as much SQL as that needs.
 */
export function unboundTables(text: string, tenantTables: ReadonlySet<string>): string[] {
  const queries: Token[][] = [];
  gatherQueries(tokensOf(text), queries);
  return queries.flatMap((query) => unboundIn(query, tenantTables));
}

/** Every table of the statement, and anything else that it reads like a table. */
export function tablesIn(text: string): string[] {
  const queries: Token[][] = [];
  gatherQueries(tokensOf(text), queries);
  return queries.flatMap((query) => referencesIn(query).map(({ table }) => table));
}

/** The tables whose existing rows the statement changes or deletes. */
export function tablesChangedIn(text: string): string[] {
  const tokens = tokensOf(text);
  const isUpsert = tokens.some((token, index) => token === 'do' && tokens[index + 1] === 'update');
  return tokens.filter((_, index) => {
    const [before, verb] = [tokens[index - 2] ?? '', tokens[index - 1]];
    if (verb === 'update') return !['for', 'do', 'key'].includes(before);
    return (verb === 'from' && before === 'delete') || (verb === 'into' && (isUpsert || before === 'merge'));
  });
}

type Token = string;

const tokenPattern = /--[^\n]*|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$\d+|::|[\w.]+|\S/g;

function tokensOf(text: string): Token[] {
  const tokens = text.match(tokenPattern) ?? [];
  return tokens.filter((token) => !token.startsWith('--')).map((token) => token.toLowerCase());
}

const queryStarts = new Set(['select', 'with', 'insert', 'update', 'delete']);
const setOperators = new Set(['union', 'intersect', 'except']);

/** Moves queries in parentheses out of the surrounding query, and splits at set operators. */
function gatherQueries(tokens: readonly Token[], into: Token[][]): void {
  let query: Token[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? '';
    if (token === '(') {
      const end = closingOf(tokens, index);
      const inner = tokens.slice(index + 1, end);
      const first = inner.find((word) => word !== '(') ?? '';
      if (queryStarts.has(first)) gatherQueries(inner, into);
      else {
        // The parentheses' content belongs to the query, even with a subquery inside.
        const outer: Token[][] = [];
        gatherQueries(inner, outer);
        query.push('(', ...(outer.pop() ?? []), ')');
        into.push(...outer);
      }
      index = end;
    } else if (setOperators.has(token)) {
      into.push(query);
      query = [];
    } else query.push(token);
  }
  into.push(query);
}

function closingOf(tokens: readonly Token[], opening: number): number {
  let depth = 0;
  for (let index = opening; index < tokens.length; index++) {
    if (tokens[index] === '(') depth++;
    if (tokens[index] === ')' && --depth === 0) return index;
  }
  return tokens.length;
}

type Reference = { table: string; alias: string; isInserted: boolean };

function unboundIn(query: readonly Token[], tenantTables: ReadonlySet<string>): string[] {
  const references = referencesIn(query).filter(({ table }) => tenantTables.has(table));
  const bound = boundAliases(query);
  const isOnly = references.filter(({ isInserted }) => !isInserted).length === 1;
  return references
    .filter(({ alias, isInserted }) =>
      isInserted ? !insertsBound(query, bound) : !bound.has(alias) && !(isOnly && bound.has('')),
    )
    .map(({ table }) => table);
}

const notAliases = new Set(
  [
    'as on where set join left right inner full cross using order group limit offset returning for values',
    'select default union window having natural overriding when',
  ].flatMap((words) => words.split(' ')),
);
const introductions = new Set(['from', 'join', 'update', 'into', 'using']);

function referencesIn(query: readonly Token[]): Reference[] {
  const references: Reference[] = [];
  const at = (index: number): Token => query[index] ?? '';
  let isInList = false;
  for (let index = 0; index < query.length; index++) {
    const token = at(index);
    const isLocking = token === 'update' && ['for', 'do', 'key'].includes(at(index - 1));
    if (['where', 'set', 'on', 'order', 'group', 'returning', 'limit', 'select'].includes(token)) isInList = false;
    if (!(introductions.has(token) && !isLocking) && !(token === ',' && isInList)) continue;
    isInList = token === 'from' || token === 'using' || (token === ',' && isInList);
    const table = at(index + 1);
    const named = at(index + 2) === 'as' ? index + 3 : index + 2;
    const alias = /^[a-z_]\w*$/.test(at(named)) && !notAliases.has(at(named)) ? at(named) : table;
    references.push({ table, alias, isInserted: token === 'into' });
  }
  return references;
}

/** The aliases with `workspace_id = $n`; '' for a condition without an alias. */
function boundAliases(query: readonly Token[]): Set<string> {
  const bound = new Set<string>();
  for (const [index, token] of query.entries()) {
    const [, alias = ''] = /^(?:(\w+)\.)?workspace_id$/.exec(token) ?? [];
    const isColumn = token === 'workspace_id' || alias !== '';
    const isEqual = query[index + 1] === '=' && isParameter(query[index + 2]);
    const isEqualTo = query[index - 1] === '=' && isParameter(query[index - 2]);
    if (isColumn && (isEqual || isEqualTo)) bound.add(alias);
  }
  return bound;
}

/** Whether the value for the column `workspace_id` is a parameter, or the column of a table that has this column. */
function insertsBound(query: readonly Token[], bound: ReadonlySet<string>): boolean {
  const opening = query.indexOf('(', query.indexOf('into'));
  const closing = closingOf(query, opening);
  const columns = query.slice(opening + 1, closing).filter((token) => token !== ',');
  const [verb, ...rest] = query.slice(closing + 1);
  const isBound = (row: readonly Token[]): boolean => {
    const [value = ''] = itemsOf(row)[columns.indexOf('workspace_id')] ?? [];
    return isParameter(value) || (value.endsWith('.workspace_id') && bound.has(value.split('.')[0] ?? ''));
  };
  if (verb === 'select') return isBound(rest[0] === 'distinct' ? rest.slice(1) : rest);
  const rows: Token[][] = [];
  for (let index = 0; rest[index] === '('; index = closingOf(rest, index) + 2)
    rows.push(rest.slice(index + 1, closingOf(rest, index)));
  return rows.every(isBound);
}

/** The items of a list, up to its end or to `from`. */
function itemsOf(tokens: readonly Token[]): Token[][] {
  const items: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (depth === 0 && token === 'from') break;
    if (token === '(') depth++;
    if (token === ')') depth--;
    if (depth === 0 && token === ',') items.push([]);
    else items.at(-1)?.push(token);
  }
  return items;
}

function isParameter(token: string | undefined): boolean {
  return token !== undefined && /^\$\d+$/.test(token);
}

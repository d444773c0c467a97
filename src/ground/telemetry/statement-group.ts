/** The code bounds the number of statements, apart from lists with filters. */
const known = new Map<string, string>();
const knownMax = 2_000;

/** Names the statements of one kind: the verb and the first table, such as `update tickets`. */
export function statementGroup(text: string): string {
  let group = known.get(text);
  if (group === undefined) {
    group = groupOf(text);
    if (known.size < knownMax) known.set(text, group);
  }
  return group;
}

function groupOf(text: string): string {
  const bare = text.replace(/--[^\n]*/g, ' ').replace(/'(?:[^']|'')*'/g, "''");
  const verb = /[a-z]+/i.exec(bare)?.[0].toLowerCase() ?? '';
  const table = (verb === 'with' ? (changed.exec(bare) ?? read.exec(bare)) : tables[verb]?.exec(bare))?.[1];
  return table === undefined ? verb : `${verb} ${table}`;
}

/** The changed table names a statement of several parts. A statement that only reads is named by its first table. */
const changed = /\b(?:insert\s+into|update|delete\s+from)\s+(?:only\s+)?([a-z_][a-z_.]*)/i;
const read = /\bfrom\s+(?:only\s+)?([a-z_][a-z_.]*)/i;
const tables: Record<string, RegExp> = { select: read, insert: changed, update: changed, delete: changed };

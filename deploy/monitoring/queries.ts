/** The labels of each metric, as the text format of Prometheus shows them. */
export type KnownMetrics = Map<string, Set<string>>;

/** Reads an answer of `/metrics`. */
export function readMetrics(text: string): KnownMetrics {
  const known: KnownMetrics = new Map();
  for (const line of text.split('\n')) {
    const declared = /^# TYPE (\S+)/.exec(line)?.[1];
    if (declared !== undefined && !known.has(declared)) known.set(declared, new Set());
    const [, name, labels = ''] = /^([a-z_:][\w:]*)(?:\{(.*)\})? \S+$/i.exec(line) ?? [];
    if (name === undefined) continue;
    const found = known.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) found.add(label);
    known.set(name, found);
  }
  return known;
}

const words = /^(by|without|on|ignoring|and|or|unless|bool|offset|group_left|group_right|inf|nan)$/i;

/** What a query in PromQL gets wrong: names of metrics and labels, and parentheses. It does not check types. */
export function faultsOfQuery(query: string, known: KnownMetrics): string[] {
  const bare = query.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/\[[^\]]*\]/g, '');
  const faults: string[] = [];
  const labelsOfAll = new Set<string>();
  const grouped: string[] = [];
  const withoutGroups = bare.replace(/\b(?:by|without|on|ignoring) *\(([^)]*)\)/g, (_whole, list: string) => {
    grouped.push(...list.split(',').map((label) => label.trim()));
    return ' ';
  });
  for (const [, name = '', matchers] of withoutGroups.matchAll(/\b([a-z_:][\w:]*)(?!\w)(?! *\()(?:\{([^}]*)\})?/gi)) {
    if (words.test(name) || isMatcherLabel(withoutGroups, name)) continue;
    const labels = known.get(name);
    if (labels === undefined) faults.push(`${name} is no metric`);
    for (const label of labels ?? []) labelsOfAll.add(label);
    for (const [, label = ''] of (matchers ?? '').matchAll(/(\w+) *(?:=~|!~|!=|=)/g))
      if (labels?.has(label) === false) faults.push(`${name} has no label ${label}`);
  }
  for (const label of grouped)
    if (faults.length === 0 && !labelsOfAll.has(label)) faults.push(`no metric of the query has a label ${label}`);
  if (!hasMatchingParentheses(bare)) faults.push('its parentheses do not match');
  return faults;
}

/** Whether a word appears only as a label within braces. */
function isMatcherLabel(query: string, word: string): boolean {
  return !new RegExp(`\\b${word}\\b`).test(query.replace(/\{[^}]*\}/g, ''));
}

function hasMatchingParentheses(query: string): boolean {
  let depth = 0;
  for (const character of query) {
    if (character === '(') depth++;
    if (character === ')' && --depth < 0) return false;
  }
  return depth === 0;
}

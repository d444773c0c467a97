import type { PlanNode, Ran } from '../harness/explain.ts';

/** Enough for the longest counted list, or for the matches that a search ranks, plus some filtered rows. */
const rowsMax = 1_600;
/** Blocks of 8 KiB. A scattered row costs a block, and a few for its index. */
const blocksMax = 6_000;

/** @returns a sentence for each statement that touches too many rows or blocks */
export function boundFaults(ran: readonly Ran[]): string[] {
  return distinct(
    ran.flatMap(({ text, plan, by }) => [
      ...scansIn(plan)
        .filter((scan) => rowsTouched(scan) > rowsMax)
        .map(
          (scan) => `${by ?? 'It'} touches ${Math.round(rowsTouched(scan))} rows of ${nameOf(scan)}: ${oneLine(text)}`,
        ),
      ...(plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] > blocksMax
        ? [`${by ?? 'It'} touches ${plan['Shared Hit Blocks'] + plan['Shared Read Blocks']} blocks: ${oneLine(text)}`]
        : []),
    ]),
  );
}

/** Rows that an empty page may read. */
const fewRows = 3;

/** @returns a sentence for each scan of tickets that reads more than three times the rows of its page */
export function pageFaults(ran: readonly Ran[]): string[] {
  return distinct(
    ran.flatMap(({ text, plan, by }) =>
      scansIn(plan)
        .filter((scan) => (scan['Relation Name'] ?? scan['Index Name'])?.startsWith('tickets') === true)
        .filter((scan) => rowsTouched(scan) > 3 * Math.max(plan['Actual Rows'], fewRows))
        .map(
          (scan) => `${by} reads ${rowsTouched(scan)} of ${nameOf(scan)} for ${plan['Actual Rows']}: ${oneLine(text)}`,
        ),
    ),
  );
}

/** @returns a sentence for each statement that no index serves, although PostgreSQL was told to prefer indexes */
export function scanFaults(ran: readonly Ran[], tables: ReadonlySet<string>): string[] {
  return distinct(
    ran.flatMap(({ text, plan }) =>
      scansIn(plan)
        .filter((scan) => scan['Node Type'] === 'Seq Scan' && tables.has(scan['Relation Name'] ?? ''))
        .map((scan) => `${nameOf(scan)} from end to end: ${oneLine(text)}`),
    ),
  );
}

function scansIn(node: PlanNode): PlanNode[] {
  const below = (node.Plans ?? []).flatMap(scansIn);
  return 'Relation Name' in node || 'Index Name' in node ? [node, ...below] : below;
}

/** Rows in all loops of the node, filtered ones included. */
function rowsTouched(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return (node['Actual Rows'] + removed) * node['Actual Loops'];
}

function nameOf(scan: PlanNode): string {
  return `${scan['Node Type']} ${scan['Index Name'] ?? scan['Relation Name']}`;
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

export function distinct(sentences: readonly string[]): string[] {
  return [...new Set(sentences)];
}

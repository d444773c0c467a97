import type { PlanNode, Ran } from './explain.ts';

/** As long as the longest list that is counted, or the matches that a search ranks, and some that are passed over. */
const rowsMax = 1_600;
/** Of 8 KiB; each row that lies by itself costs one for it and a few for its index. */
const blocksMax = 6_000;

/** What is wrong with how statements ran, a sentence each: rows and blocks without a bound. */
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

/** The statements that no index serves, though PostgreSQL was told to use one wherever it can. */
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

/** In all of the node's rounds, also those that were looked at in vain. */
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

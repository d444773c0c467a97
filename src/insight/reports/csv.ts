import { stringify } from 'csv-stringify/sync';
import type { Durations, Figures, Groups, Overview } from './schema.ts';

/** Reports as CSV (RFC 4180). No cell is a formula, because a spreadsheet would run what a stranger wrote. */

const escaped = { escape_formulas: true, record_delimiter: 'windows' } as const;
type Cell = string | number | null;

/** One line of figures, in the order of `figureNames`. */
function cellsOf(figures: Figures): Cell[] {
  return [
    figures.created,
    ...durationCells(figures.firstResponse),
    ...durationCells(figures.response),
    ...durationCells(figures.resolution),
    figures.reopened,
    figures.oneTouch,
  ];
}

const durationCells = ({ count, tickets, mean, median, p90 }: Durations): Cell[] => [count, tickets, mean, median, p90];
const durationNames = (name: string): string[] => [
  `${name}_count`,
  `${name}_tickets`,
  `${name}_mean_seconds`,
  `${name}_median_seconds`,
  `${name}_90th_seconds`,
];
const figureNames = [
  'created',
  ...durationNames('first_response'),
  ...durationNames('response'),
  ...durationNames('resolution'),
  'reopened',
  'one_touch',
];

export function overviewCsv({ series }: Overview): string {
  const rows = series.map((one) => [one.at, ...cellsOf(one), one.backlog]);
  return stringify([['from', ...figureNames, 'backlog'], ...rows], escaped);
}

export function groupsCsv({ groups }: Groups, by: string): string {
  return stringify(
    [['key', by, ...figureNames], ...groups.map((one) => [one.key, one.name, ...cellsOf(one)])],
    escaped,
  );
}

export const linesOf = (rows: readonly (readonly Cell[])[]): string => stringify(rows as Cell[][], escaped);

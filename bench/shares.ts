import { median, tableText, whole } from './report.ts';

/** The service as it is. It is measured twice a round; the second figure shows the noise. */
export const everything = 'everything';
export const again = 'everything again';

export type Figures = { requestsPerSecond: number; cpuMicros: number };
export type Measured = { round: number; without: string; operation: string } & Figures;

/** Rows are mechanisms, columns operations; each cell is the median of the rounds' shares. */
export function sharesTable(measured: readonly Measured[], without: readonly string[], figure: keyof Figures): string {
  const columns = [...new Set(measured.map(({ operation }) => operation))];
  const inRound = (operation: string, round: number, names: readonly string[]): number[] =>
    measured
      .filter((one) => one.operation === operation && one.round === round && names.includes(one.without))
      .map((one) => one[figure]);
  const rounds = [...new Set(measured.map(({ round }) => round))];
  const meanIn = (operation: string, round: number): number => {
    const figures = inRound(operation, round, [everything, again]);
    return figures.reduce((sum, each) => sum + each, 0) / figures.length;
  };
  const shareOf = (operation: string, names: readonly string[], base: (round: number) => number): string => {
    const shares = rounds.flatMap((round) => inRound(operation, round, names).map((each) => each / base(round)));
    return shares.length === 0 ? '' : median(shares).toFixed(2);
  };
  return tableText([
    [figure === 'cpuMicros' ? 'processor time without' : 'requests/s without', ...columns],
    [
      `nothing (${figure === 'cpuMicros' ? 'µs' : 'per second'})`,
      ...columns.map((name) => whole(median(rounds.map((round) => meanIn(name, round))))),
    ],
    [
      'nothing, second over first',
      ...columns.map((name) => shareOf(name, [again], (round) => inRound(name, round, [everything])[0] ?? 0)),
    ],
    ...without.map((mechanism) => [
      mechanism,
      ...columns.map((name) => shareOf(name, [mechanism], (round) => meanIn(name, round))),
    ]),
  ]);
}

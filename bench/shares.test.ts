import { expect, test } from 'vitest';
import { again, everything, type Measured, sharesTable } from './shares.ts';

test('a share is the median over the rounds, each of which is compared with its own figures', () => {
  const inRound = (round: number, figures: Record<string, number>): Measured[] =>
    Object.entries(figures).map(([without, requestsPerSecond]) => {
      return { round, without, operation: 'read', requestsPerSecond, cpuMicros: 1 };
    });
  const measured = [
    ...inRound(1, { [everything]: 90, [again]: 110, cache: 50 }),
    ...inRound(2, { [everything]: 180, [again]: 220, cache: 200 }),
    ...inRound(3, { [everything]: 100, [again]: 100, cache: 80 }),
  ];
  const rows = sharesTable(measured, ['cache'], 'requestsPerSecond').split('\n');
  expect(rows.map((row) => row.split(/\s{2,}/))).toEqual([
    ['requests/s without', 'read'],
    ['nothing (per second)', '100'],
    ['nothing, second over first', '1.22'],
    ['cache', '0.80'],
  ]);
});

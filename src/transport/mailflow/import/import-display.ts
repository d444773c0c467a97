import { leftOutKinds } from '@kontor/mail/files/folder-words.ts';
import { Presets, SingleBar } from 'cli-progress';
import { everySeconds } from '../../../ground/platform/command-line.ts';
import type { ImportTotals } from './import.ts';

/** Shows an import's progress: a bar on a terminal, otherwise a line every ten seconds. */
export type ImportDisplay = { show(totals: ImportTotals): void; end(totals: ImportTotals): void };

type Output = NodeJS.WriteStream | { write(text: string): unknown; isTTY?: boolean };

const passedOverShown = 20;

/** @param bytesTotal the size of the input; called only when there is a bar */
export async function importDisplay(output: Output, bytesTotal: () => Promise<number>): Promise<ImportDisplay> {
  const startedAt = performance.now();
  const progress = output.isTTY === true ? barOn(output as NodeJS.WriteStream, await bytesTotal()) : linesOn(output);
  return {
    show: (totals) => progress.show(totals, rateOf(totals, performance.now() - startedAt)),
    end: (totals) => {
      progress.end();
      output.write(closingTable(totals, performance.now() - startedAt));
    },
  };
}

type Progress = { show(totals: ImportTotals, rate: number): void; end(): void };

/** The number of mails is known only at the end, so the bar measures bytes. */
function barOn(stream: NodeJS.WriteStream, bytesTotal: number): Progress {
  const format =
    '{bar} {percentage}% | {read} read, {new} new, {known} already there, {quarantined} quarantined | {rate}/s';
  const bar = new SingleBar({ stream, format, hideCursor: true, barsize: 30, clearOnComplete: true }, Presets.rect);
  bar.start(bytesTotal, 0, { read: 0, new: 0, known: 0, quarantined: 0, rate: 0 });
  return {
    show: (totals, rate) => bar.update(Math.min(totals.readBytes, bytesTotal), { ...totals, rate }),
    end: () => bar.stop(),
  };
}

function linesOn(output: Output): Progress {
  return {
    show: everySeconds((totals, rate) =>
      output.write(`${totals.read} read, ${totals.new} new, ${totals.known} already there, ${rate}/s\n`),
    ),
    end: () => {},
  };
}

function rateOf({ read }: ImportTotals, milliseconds: number): number {
  return Math.round(read / Math.max(milliseconds / 1_000, 0.001));
}

/** The closing table, and the skipped files, one per line. */
function closingTable(totals: ImportTotals, milliseconds: number): string {
  const rows: [string, number][] = [
    ['read', totals.read],
    ['new', totals.new],
    ['already there', totals.known],
    ['quarantined', totals.quarantined],
    ['tickets', totals.tickets],
  ];
  if (totals.resumed > 0) rows.push(['resumed', totals.resumed]);
  for (const kind of leftOutKinds) {
    const count = totals.leftOut[kind];
    if (count > 0) rows.push([`${kind}, left out`, count]);
  }
  const width = Math.max(...rows.map(([, value]) => String(value).length));
  const lines = rows.map(([name, value]) => `  ${name.padEnd(17)} ${String(value).padStart(width)}`);
  const seconds = (milliseconds / 1_000).toFixed(1);
  const passedOver = totals.passedOver
    .slice(0, passedOverShown)
    .map(({ source, message }) => `  ${visible(source)}: ${message}`);
  const more = totals.passedOver.length - passedOver.length;
  return [
    `${lines.join('\n')}`,
    `in ${seconds} s, ${rateOf(totals, milliseconds)} mails/s`,
    ...(passedOver.length > 0 ? ['passed over:', ...passedOver] : []),
    ...(more > 0 ? [`  and ${more} more`] : []),
    '',
  ].join('\n');
}

/** File names may contain terminal control sequences. */
function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, '\u{fffd}');
}

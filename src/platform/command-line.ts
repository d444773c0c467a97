/** What the command lines of several rooms share. */
import { parseArgs } from 'node:util';
import { StartError } from '../lib/start-error.ts';
import type { Config } from '../settings/config.ts';
import { openLog } from './log.ts';

export type CommandOptions = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

export function readCommandLine<const Wanted extends CommandOptions>(
  parameters: string[],
  usage: string,
  options: Wanted,
) {
  try {
    return parseArgs({ args: parameters, options, allowPositionals: true });
  } catch (cause) {
    throw new StartError(`${(cause as Error).message}; ${usage}`, { cause });
  }
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A log beside lines for people, who need no news of the service in between. */
export function quietLog({ logLevel }: Pick<Config, 'logLevel'>) {
  return openLog(logLevel === 'info' ? 'warn' : logLevel);
}

const reportsEveryMs = 10_000;

/** Reports at most once in ten seconds. */
export function everySeconds<Progress extends unknown[]>(
  report: (...progress: Progress) => void,
): (...progress: Progress) => void {
  let lastAt = performance.now();
  return (...progress) => {
    if (performance.now() - lastAt < reportsEveryMs) return;
    lastAt = performance.now();
    report(...progress);
  };
}

/** What the command lines of several rooms share. */
import { parseArgs } from 'node:util';
import { UsageError } from '../lib/start-error.ts';
import type { Config } from '../settings/config.ts';
import { openLog } from './log.ts';
import { type CommandName, usageOf } from './usages.ts';

export type CommandOptions = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

/** Throws a `UsageError` for parameters that the command does not have. */
export function readCommandLine<const Wanted extends CommandOptions>(
  name: CommandName,
  parameters: string[],
  options: Wanted,
) {
  try {
    return parseArgs({ args: parameters, options, allowPositionals: true });
  } catch (cause) {
    // Node's message goes on with advice that fits no command of ours.
    const [fault = ''] = (cause as Error).message.split(/(?<=')\. /);
    throw new UsageError(`${fault}\n${usageOf(name)}`, { cause });
  }
}

export function wrongUsage(name: CommandName): UsageError {
  return new UsageError(usageOf(name));
}

export function refuseParameters(name: CommandName, parameters: string[]): void {
  const { positionals } = readCommandLine(name, parameters, {});
  if (positionals[0] !== undefined) throw new UsageError(`Unexpected parameter '${positionals[0]}'\n${usageOf(name)}`);
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

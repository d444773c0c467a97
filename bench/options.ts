import { parseArgs } from 'node:util';
import { type Size, sizes } from './world.ts';

export type Options = {
  size: Size;
  /** Names of the operations to measure. Empty: all. */
  only: string[];
  rounds: number;
  secondsPerRound: number;
  /** Keeps the filled database here for further runs. Undefined: only for this run. */
  dataFolder: string | undefined;
  /** A database of a Citus cluster on this machine to measure, in place of the embedded database. */
  clusterUrl: string | undefined;
  /** As `WEB_CONCURRENCY`. */
  processes: number | undefined;
  /** A file for the figures, beside the table. */
  jsonPath: string | undefined;
};

export const usage =
  'npm run bench -- [--size small|web|large] [--only <operation>]… [--rounds 3] [--seconds 10] ' +
  '[--processes <number>] [--data <folder> | --cluster <database url>] [--json <file>]';

/** Throws a one-sentence error for a wrong parameter. */
export function readOptions(parameters: string[], operationNames: readonly string[]): Options {
  const { values } = parseArgs({
    args: parameters,
    options: {
      size: { type: 'string', default: 'small' },
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '10' },
      processes: { type: 'string' },
      data: { type: 'string' },
      cluster: { type: 'string' },
      json: { type: 'string' },
    },
  });
  if (!(values.size in sizes)) throw new Error(`--size: "${values.size}" is none of ${Object.keys(sizes).join(', ')}`);
  const unknown = values.only.find((name) => !operationNames.includes(name));
  if (unknown !== undefined) throw new Error(`--only: "${unknown}" is none of ${operationNames.join(', ')}`);
  if (values.cluster !== undefined && values.data !== undefined)
    throw new Error('--cluster: the cluster keeps its data itself, so --data does not go with it');
  return {
    // Checked above.
    size: values.size as Size,
    only: values.only,
    rounds: wholeNumber('--rounds', values.rounds, 100),
    secondsPerRound: wholeNumber('--seconds', values.seconds, 3_600),
    processes: values.processes === undefined ? undefined : wholeNumber('--processes', values.processes, 16),
    dataFolder: values.data,
    clusterUrl: values.cluster,
    jsonPath: values.json,
  };
}

export function wholeNumber(name: string, text: string, max: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= max) return number;
  throw new Error(`${name}: "${text}" is not a whole number from 1 to ${max}`);
}

import { readFile, writeFile } from 'node:fs/promises';
import type { paths } from '../index.ts';
import { readInput } from './ask.ts';
import { UsageError } from './faults.ts';
import { typed } from './program.ts';
import { type Command, openClient, parse } from './run.ts';

const path = '/v1/workspaces/{workspaceId}/rules/bundle';
type Bundle = paths[typeof path]['put']['requestBody']['content']['application/json'];

const exportRules: Command = {
  usage: typed('rules export [<file>]'),
  about: 'Write all rules as one JSON file, with names in place of ids. Only owners and admins may.',
  run: async (run, parameters) => {
    const { positionals } = parse(parameters, {}, exportRules.usage);
    const [file = '-', ...others] = positionals;
    if (others.length > 0) throw new UsageError(`usage: ${exportRules.usage}`);
    const kontor = await openClient(run);
    const bundle = await kontor.get(path, { signal: run.signal });
    const text = JSON.stringify(bundle, null, 2);
    if (file === '-') run.output.line(text);
    else await writeFile(file, `${text}\n`);
    if (file !== '-') run.output.note(`Wrote ${bundle.rules.length} rules to ${file}.`);
  },
};

const importOptions = { 'dry-run': { type: 'boolean' }, confirm: { type: 'boolean' } } as const;

const importRules: Command = {
  usage: typed('rules import [--dry-run] [--confirm] [<file>]'),
  about:
    'Make the rules of the workspace those of a file: rules that it does not have are deleted. --dry-run only tells ' +
    'what would change. --confirm accepts rules that may mail everybody.',
  run: async (run, parameters) => {
    const { values, positionals } = parse(parameters, importOptions, importRules.usage);
    const [file = '-', ...others] = positionals;
    if (others.length > 0) throw new UsageError(`usage: ${importRules.usage}`);
    const bundle = readBundle(file === '-' ? await readInput() : await textOf(file), file);
    const kontor = await openClient(run);
    const isDry = values['dry-run'] === true;
    const replaced = await kontor.put(path, {
      params: { query: { dryRun: isDry } },
      body: { rules: bundle.rules, ...(values.confirm && { confirm: true }) },
      signal: run.signal,
    });
    if (run.output.isJson) return run.output.json(replaced);
    for (const done of ['created', 'changed', 'removed'] as const)
      for (const name of replaced[done]) run.output.line(`${isDry ? `would be ${done}` : done}: ${name}`);
    if (replaced.order === 'changed') run.output.line(isDry ? 'would run in another order' : 'run in another order');
    const { created, changed, removed, order } = replaced;
    if ([...created, ...changed, ...removed].length === 0 && order === 'kept') run.output.note('Nothing changes.');
  },
};

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(error.message);
  });
}

/** The service checks what the file says. */
function readBundle(text: string, file: string): Bundle {
  try {
    return JSON.parse(text) as Bundle;
  } catch (error) {
    const name = file === '-' ? 'The input' : file;
    throw new UsageError(`${name} is no JSON: ${(error as Error).message}.`);
  }
}

export const ruleCommands: Record<string, Command> = { export: exportRules, import: importRules };

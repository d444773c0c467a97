import { parseArgs } from 'node:util';
import { isExport } from '../transfer/read-export.ts';

/** Imports the export of a workspace, or mail files. Loads only the code for one of them. */
export async function importCommand(
  environment: Record<string, string | undefined>,
  parameters: string[],
): Promise<number> {
  const { positionals } = parseArgs({
    args: parameters,
    options: { workspace: { type: 'string', short: 'w' } },
    allowPositionals: true,
    strict: false,
  });
  const are = await Promise.all(positionals.map(isExport));
  return are.includes(true)
    ? (await import('../transfer/load-command.ts')).loadCommand(environment, parameters)
    : (await import('../../transport/mailflow/import/import-command.ts')).importCommand(environment, parameters);
}

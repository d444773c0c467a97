/**
 * What people type after `node operate.js`, and what that does. Apart from the commands, so that help loads none of
 * them.
 */
const commands = {
  serve: { parameters: [''], does: 'runs the service, with the roles of ROLES' },
  api: { parameters: [''], does: 'answers requests, whatever ROLES says' },
  worker: { parameters: [''], does: 'runs the jobs, whatever ROLES says' },
  migrate: { parameters: [''], does: 'updates the database and ends. Migrations cannot be taken back' },
  distribute: { parameters: [''], does: 'spreads the tables over the Citus cluster of DATABASE_URL' },
  backup: {
    parameters: ['<folder or s3://bucket/prefix> [--keep <number of backups>]'],
    does:
      'backs up the database, the files and, with BACKUP_PASSPHRASE, the secrets, while the service runs or not. ' +
      '--keep removes all but the newest backups',
  },
  verify: {
    parameters: ['<folder or s3://bucket/prefix> [--point <name>] [--restore]'],
    does: 'compares a backup with its hashes. --restore also loads it into a temporary database',
  },
  restore: {
    parameters: ['<folder or s3://bucket/prefix> [--point <name>]'],
    does: 'fills an empty data folder, or the empty database of DATABASE_URL, from a backup',
  },
  'go-live': {
    parameters: ['[--moved]'],
    does:
      'lets a restored copy read and send mail, as an installation with backups of its own. --moved also sends what ' +
      'waited and goes on with the backups, because the original was stopped before the backup',
  },
  export: {
    parameters: ['--workspace <id or name> <folder>'],
    does: 'writes a workspace into a folder that other programs read',
  },
  import: {
    parameters: [
      '--workspace <id or name> [--status open|pending|closed] [--own <address or @domain>]… <path of mail>…',
      '[--workspace <id or name>] [--new-numbers] [--dry-run] <folder of an export>',
    ],
    does: 'imports mail files into a workspace, or the export of a workspace',
  },
  convert: {
    parameters: [
      'freescout|help-scout|zendesk (--dry-run | --into <folder>) [--name <workspace>] [--account <name>] ' +
        '[--files <folder>] [--utc-offset <+hh:mm>] <file or folder>…',
    ],
    does: 'turns the data of another help desk into an export, which import loads',
  },
  openapi: { parameters: ['[--check]'], does: 'writes openapi.json. --check only compares it with the routes' },
};

export type CommandName = keyof typeof commands;

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

export function usageOf(name: CommandName): string {
  return commands[name].parameters
    .map((words, at) => `${at === 0 ? 'usage:' : '      '} node operate.js ${name} ${words}`.trimEnd())
    .join('\n');
}

/** The answer to a call that asks for help; undefined for any other call. */
export function helpFor([name = '', ...parameters]: string[]): string | undefined {
  if (isHelp(name)) return isCommand(parameters[0] ?? '') ? helpOf(parameters[0] as CommandName) : helpOfAll();
  return isCommand(name) && asksForHelp(parameters) ? helpOf(name) : undefined;
}

function isHelp(word: string | undefined): boolean {
  return word === 'help' || word === '--help' || word === '-h';
}

function asksForHelp(parameters: string[]): boolean {
  const end = parameters.indexOf('--');
  const options = end === -1 ? parameters : parameters.slice(0, end);
  return options.includes('--help') || options.includes('-h') || (options.length === 1 && options[0] === 'help');
}

function helpOf(name: CommandName): string {
  return `${usageOf(name)}\n\nIt ${commands[name].does}.\nThe settings are those of the service: docs/settings.md.`;
}

export function helpOfAll(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length)) + 2;
  const lines = Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(width)}${does}`);
  const more = '"node operate.js <command> --help" has the parameters.';
  return `usage: node operate.js <command>\n\n${lines.join('\n')}\n\n${more}`;
}

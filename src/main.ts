import cluster from 'node:cluster';
import { StartError, UsageError } from './ground/lib/start-error.ts';
import { refuseParameters, say } from './ground/platform/command-line.ts';
import { type CommandName, helpFor, helpOfAll, isCommand, usageOf } from './ground/platform/usages.ts';
import { readConfig } from './ground/settings/config.ts';

type Environment = Record<string, string | undefined>;

/** A command resolves to the exit code of the process. */
type Command = (environment: Environment, parameters: string[]) => Promise<number>;

/** Each command loads only its own code: the server's code takes 60 MB of memory that an import needs. */
const commands: Record<CommandName, Command> = {
  serve: (environment, parameters) => serve('serve', environment, parameters),
  api: (environment, parameters) => serve('api', { ...environment, ROLES: 'api' }, parameters),
  worker: (environment, parameters) => serve('worker', { ...environment, ROLES: 'worker' }, parameters),
  migrate: async (...given) => (await import('./operations/commands/migrate.ts')).migrateCommand(...given),
  distribute: async (...given) => (await import('./operations/commands/distribute.ts')).distributeCommand(...given),
  import: async (...given) => (await import('./operations/commands/import.ts')).importCommand(...given),
  backup: async (...given) => (await import('./operations/backups/commands.ts')).backupCommand(...given),
  verify: async (_environment, parameters) =>
    (await import('./operations/backups/commands.ts')).verifyCommand(parameters),
  restore: async (...given) => (await import('./operations/backups/commands.ts')).restoreCommand(...given),
  'go-live': async (...given) => (await import('./operations/backups/commands.ts')).goLiveCommand(...given),
  export: async (...given) => (await import('./operations/transfer/export-command.ts')).exportCommand(...given),
  // `operate.js` starts the programs of `importers/` by itself.
  convert: () => Promise.reject(new UsageError(usageOf('convert'))),
  openapi: async (_environment, parameters) =>
    (await import('./operations/commands/openapi.ts')).openapiCommand(parameters),
};

async function serve(name: CommandName, environment: Environment, parameters: string[]): Promise<number> {
  refuseParameters(name, parameters);
  const config = readConfig(environment);
  return cluster.isWorker
    ? (await import('./operations/commands/serve-requests.ts')).serveRequestsCommand(config)
    : (await import('./operations/commands/serve.ts')).serveCommand(
        config,
        isForPeople(environment) ? sayReady : undefined,
      );
}

/** A supervisor gets nothing but the lines of the log. */
function isForPeople({ npm_lifecycle_event: script }: Environment): boolean {
  return script === 'start' || (process.stdout.isTTY && process.stderr.isTTY);
}

function sayReady(url: string): void {
  // After the lines of the log, which are written together.
  setImmediate(() => console.error(`\nKontor is ready: ${url}`));
}

/** Help comes before everything else, because who asks for help wants nothing done. */
async function run(words: string[]): Promise<number> {
  const help = helpFor(words);
  const [name = '', ...parameters] = words;
  if (help === undefined && isCommand(name)) return commands[name](process.env, parameters);
  if (help === undefined)
    throw new UsageError(name === '' ? helpOfAll() : `There is no command '${name}'.\n${helpOfAll()}`);
  say(help);
  return 0;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  // An operator can fix a `StartError`, so its sentence suffices. Any other error is a bug, so print its stack.
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
process.exit();

import cluster from 'node:cluster';
import { StartError } from './lib/start-error.ts';
import { readConfig } from './settings/config.ts';

type Environment = Record<string, string | undefined>;

/** A command resolves to the exit code of the process. */
type Command = (environment: Environment, parameters: string[]) => Promise<number>;

/** Each command loads only its own code: the server's code takes 60 MB of memory that an import needs. */
const commands: Record<string, Command> = {
  serve: (environment) => serve(environment),
  api: (environment) => serve({ ...environment, ROLES: 'api' }),
  worker: (environment) => serve({ ...environment, ROLES: 'worker' }),
  migrate: async (environment) => (await import('./commands/migrate.ts')).migrateCommand(readConfig(environment)),
  distribute: async (environment) =>
    (await import('./commands/distribute.ts')).distributeCommand(readConfig(environment)),
  import: async (environment, parameters) =>
    (await import('./commands/import.ts')).importCommand(environment, parameters),
  backup: async (environment, parameters) =>
    (await import('./backups/commands.ts')).backupCommand(readConfig(environment), parameters, environment),
  verify: async (_environment, parameters) => (await import('./backups/commands.ts')).verifyCommand(parameters),
  restore: async (environment, parameters) =>
    (await import('./backups/commands.ts')).restoreCommand(readConfig(environment), parameters, environment),
  'go-live': async (environment, parameters) =>
    (await import('./backups/commands.ts')).goLiveCommand(readConfig(environment), parameters),
  export: async (environment, parameters) =>
    (await import('./transfer/export-command.ts')).exportCommand(readConfig(environment), parameters),
  openapi: async (_environment, parameters) => (await import('./commands/openapi.ts')).openapiCommand(parameters),
};

async function serve(environment: Environment): Promise<number> {
  const config = readConfig(environment);
  return cluster.isWorker
    ? (await import('./commands/serve-requests.ts')).serveRequestsCommand(config)
    : (await import('./commands/serve.ts')).serveCommand(config);
}

const [name = '', ...parameters] = process.argv.slice(2);
const command = commands[name];
if (command === undefined) {
  console.error(`usage: node src/main.ts ${Object.keys(commands).join(' | ')}`);
  process.exit(2);
}
try {
  process.exitCode = await command(process.env, parameters);
} catch (error) {
  // An operator can fix a `StartError`, so its sentence suffices. Any other error is a bug, so print its stack.
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
}
// A handle that a library left open must not keep the process alive.
process.exit();

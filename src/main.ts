import cluster from 'node:cluster';
import { StartError } from './lib/start-error.ts';
import { readConfig } from './settings/config.ts';

type Environment = Record<string, string | undefined>;

/** A command does its work and returns the exit code of the process. */
type Command = (environment: Environment, parameters: string[]) => Promise<number>;

/** Each loads its own code and no other's: the server's is 60 MB of memory that an import has better use for. */
const commands: Record<string, Command> = {
  serve: (environment) => serve(environment),
  api: (environment) => serve({ ...environment, ROLES: 'api' }),
  worker: (environment) => serve({ ...environment, ROLES: 'worker' }),
  migrate: async (environment) => (await import('./commands/migrate.ts')).migrateCommand(readConfig(environment)),
  import: async (environment, parameters) =>
    (await import('./mailflow/import/import-command.ts')).importCommand(readConfig(environment), parameters),
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
  // What the operator can mend is one sentence; anything else is ours, and its stack is what we need.
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
}
// Nothing is left to do: a handle that a library forgot must not keep the process.
process.exit();

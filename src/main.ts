import { migrateCommand } from './commands/migrate.ts';
import { openapiCommand } from './commands/openapi.ts';
import { serveCommand } from './commands/serve.ts';
import { StartError } from './lib/start-error.ts';
import { importCommand } from './mailflow/import-command.ts';
import { readConfig } from './platform/config.ts';

/** A command does its work and returns the exit code of the process. */
type Command = (environment: Record<string, string | undefined>, parameters: string[]) => Promise<number>;

const commands: Record<string, Command> = {
  serve: (environment) => serveCommand(readConfig(environment)),
  api: (environment) => serveCommand(readConfig({ ...environment, ROLES: 'api' })),
  worker: (environment) => serveCommand(readConfig({ ...environment, ROLES: 'worker' })),
  migrate: (environment) => migrateCommand(readConfig(environment)),
  import: (environment, parameters) => importCommand(readConfig(environment), parameters),
  openapi: (_environment, parameters) => openapiCommand(parameters),
};

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

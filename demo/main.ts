import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveCommand } from '../src/commands/serve.ts';
import { StartError } from '../src/lib/start-error.ts';
import { type Config, readConfig } from '../src/platform/config.ts';
import { password, people, supportAddress, workspaceName } from './conversation.ts';
import { makeOnce } from './make.ts';

/** The service as `npm start` starts it, on a folder of its own with a workspace that has been in use for a month. */
async function demo(environment: NodeJS.ProcessEnv): Promise<number> {
  const dataDir = resolve(environment.DATA_DIR ?? './data/demo');
  const configFor = (folder: string): Config => readConfig(demoSettings(environment, folder));
  const stop = new AbortController();
  const onSignal = (): void => stop.abort(new StartError('Stopped before the demo was made.'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  const outcome = await makeOnce(dataDir, configFor, stop.signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
  if (outcome === 'made') console.log(`Made the demo's data in ${dataDir}.`);
  const config = configFor(dataDir);
  const isTaken = await answers(config);
  // Where something else has the port the service itself says so.
  if (!isTaken) void tellWhenReady(config);
  return serveCommand(config);
}

function demoSettings(environment: NodeJS.ProcessEnv, dataDir: string): Record<string, string | undefined> {
  const { HOST = '127.0.0.1', LOG_LEVEL = 'warn', MAIL_FROM = `${workspaceName} <${supportAddress}>` } = environment;
  return {
    // Everybody may know the passwords: nobody else is let in.
    HOST,
    LOG_LEVEL,
    MAIL_FROM,
    PORT: environment.PORT,
    PUBLIC_URL: environment.PUBLIC_URL,
    DATA_DIR: dataDir,
    EMAIL_VERIFICATION: 'off',
    // Neither a database nor a mail server of the operator's: what is invented here reaches nobody.
  };
}

async function tellWhenReady(config: Config): Promise<void> {
  while (!(await answers(config))) await sleep(100, undefined, { ref: false });
  console.log(welcome(config.publicUrl));
}

function answers({ port }: Config): Promise<boolean> {
  return fetch(`http://localhost:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function welcome(url: string): string {
  const rows = Object.values(people).map(({ email, role, name }) => `  ${email.padEnd(26)}${role.padEnd(8)}${name}`);
  const body = JSON.stringify({ provider: 'local', email: people.maya.email, password });
  return [
    '',
    `Kontor's demo is ready at ${url}, and its API page at ${url}/docs`,
    '',
    `Sign in to the workspace "${workspaceName}" as any of these, with the password ${password}`,
    ...rows,
    '',
    'The first step:',
    `  curl -s ${url}/v1/auth/session -H 'content-type: application/json' -d '${body}'`,
    '',
    'Mail that the demo sends stays in its folder. Ctrl-C ends it; the next start finds it as it was.',
    '',
  ].join('\n');
}

try {
  process.exitCode = await demo(process.env);
} catch (error) {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
}
process.exit();

import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../src/ground/lib/start-error.ts';
import { type Config, type Demo, readConfig } from '../src/ground/settings/config.ts';
import { serveCommand } from '../src/operations/commands/serve.ts';
import { password, people, supportAddress, workspaceName } from './conversation.ts';
import { mailboxes, type Outside, openOutside } from './customer.ts';
import { type Desk, type DeskTicket, openDesk } from './desk.ts';
import { makeOnce } from './make.ts';
import { openPage } from './page-server.ts';
import { openPostOffice } from './post-office.ts';

/**
 * Runs the service as `npm start` does, on a folder of its own with a workspace of a month's use. Beside it run both
 * mail providers with a customer.
 */
async function demo(environment: NodeJS.ProcessEnv): Promise<number> {
  const dataDir = resolve(environment.DATA_DIR ?? './data/demo');
  const outside = await openOutside();
  const configFor = (folder: string): Config =>
    readConfig({ ...demoSettings(environment, folder), ...outside.settings });
  const stop = new AbortController();
  const onSignal = (): void => stop.abort(new StartError('Stopped before the demo was made.'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  const outcome = await makeOnce(dataDir, configFor, stop.signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
  if (outcome === 'made') console.log(`Made the demo's data in ${dataDir}.`);
  const settings = configFor(dataDir);
  // If another program has the port, the service reports that itself.
  if (await answers(settings)) return serveCommand(settings);
  const desk = Promise.withResolvers<Desk>();
  const customerPage = await openPage({ outside, desk: desk.promise, onTicket: tell });
  const outbox = join(dataDir, 'outbox');
  const config: Config & { demo: Demo } = {
    ...settings,
    mail: { kind: 'smtp', url: (await openPostOffice(outbox)).url },
    demo: { people: Object.values(people).map((one) => ({ ...one })), password, customerPage },
  };
  desk.promise.catch((error) => console.error('The mailboxes of the demo could not be connected.', error));
  void openWhenReady(config, outside, outbox).then(desk.resolve, desk.reject);
  return serveCommand(config);
}

function demoSettings(environment: NodeJS.ProcessEnv, dataDir: string): Record<string, string | undefined> {
  const { HOST = '127.0.0.1', LOG_LEVEL = 'warn', MAIL_FROM = `${workspaceName} <${supportAddress}>` } = environment;
  return {
    // Listens on this machine alone, since the passwords are public.
    HOST,
    LOG_LEVEL,
    MAIL_FROM,
    PORT: environment.PORT,
    PUBLIC_URL: environment.PUBLIC_URL,
    DATA_DIR: dataDir,
    EMAIL_VERIFICATION: 'off',
    // No database or mail server of the operator, so that invented mail reaches nobody.
  };
}

async function openWhenReady(config: Config & { demo: Demo }, outside: Outside, outbox: string): Promise<Desk> {
  while (!(await answers(config))) await sleep(100, undefined, { ref: false });
  outside.lead(config.publicUrl);
  const desk = await openDesk(`http://localhost:${config.port}`, outside);
  console.log(welcome(config.publicUrl, config.demo.customerPage, outbox));
  return desk;
}

function tell(ticket: DeskTicket, subject: string): void {
  console.log(`"${subject}" is ticket ${ticket.number}. An answer to it:\n  ${ticket.answerWith}\n`);
}

function answers({ port }: Config): Promise<boolean> {
  return fetch(`http://localhost:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function welcome(url: string, pageUrl: string, outbox: string): string {
  const rows = Object.values(people).map(({ email, role, name }) => `  ${email.padEnd(26)}${role.padEnd(8)}${name}`);
  const body = JSON.stringify({ provider: 'local', email: people.maya.email, password });
  return [
    '',
    `Kontor's demo is ready: open ${url} (its API page is ${url}/docs)`,
    '',
    `Its first page signs you in to the workspace "${workspaceName}" as any of these; their password is ${password}`,
    ...rows,
    '',
    'By the API:',
    `  curl -s ${url}/v1/auth/session -H 'content-type: application/json' -d '${body}'`,
    '',
    `Be a customer at ${pageUrl}, who writes to`,
    ...mailboxes.map(({ address, at }) => `  ${address.padEnd(32)}at ${at}, which this machine stands in for`),
    '',
    `Mail that the demo sends stays on this machine, in ${outbox}.`,
    'Ctrl-C ends the demo; the next start finds it as it was.',
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

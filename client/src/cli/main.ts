#!/usr/bin/env node
import { api } from './api.ts';
import { events } from './events.ts';
import { exportTickets } from './export.ts';
import { exitCodeOf, exitCodes, linesOf, UsageError } from './faults.ts';
import { login, logout, signInByPassword, whoami } from './login.ts';
import { openOutput } from './output.ts';
import { typed } from './program.ts';
import { ruleCommands } from './rules.ts';
import type { Command, Place, Run } from './run.ts';
import { ticketCommands } from './tickets.ts';

/** Commands of two words, by the first. */
const groups: Record<string, Record<string, Command>> = { tickets: ticketCommands, rules: ruleCommands };
const commands: Record<string, Command> = { login, logout, whoami, export: exportTickets, events, api };

/** Options that every command knows. */
const general = { '--profile': 'profile', '--url': 'url', '--workspace': 'workspaceId' } as const;

const help = `Kontor's command line: it works on a service through its API, with your rights.

${[...Object.values(groups).flatMap((group) => Object.values(group)), ...Object.values(commands)]
  .map(({ usage, about }) => `  ${usage}\n      ${about}`)
  .join('\n')}

Everywhere: --json writes one JSON object on each line. --profile <name>, --url <address> and --workspace <id> choose
where. KONTOR_URL, KONTOR_KEY and KONTOR_WORKSPACE do so without a profile. A text that is left out, or "-", is read
from the pipe.
`;

const stopped = new AbortController();
process.once('SIGINT', () => {
  process.exitCode = exitCodes.interrupted;
  stopped.abort();
});
// The reader of a pipe, such as `head`, has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

await main(process.argv.slice(2));

async function main(words: string[]): Promise<void> {
  const { place, isJson, rest } = readGeneral(words);
  const output = openOutput(isJson);
  try {
    const [name, second, ...more] = rest;
    if (name === undefined || name === 'help' || rest.includes('--help')) {
      process.stdout.write(help);
      return;
    }
    const run: Run = { output, place, signal: stopped.signal, signIn: (own) => signInByPassword(own) };
    const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
    if (group !== undefined) await commandOf(group, second, `${name} `).run(run, more);
    else await commandOf(commands, name, '').run(run, rest.slice(1));
  } catch (error) {
    if (stopped.signal.aborted) return;
    if (isJson) output.note(JSON.stringify(failureOf(error)));
    else for (const line of linesOf(error)) output.note(line);
    process.exitCode = exitCodeOf(error);
  }
}

function commandOf(known: Record<string, Command>, name: string | undefined, before: string): Command {
  const command = name === undefined ? undefined : known[name];
  if (command !== undefined) return command;
  throw new UsageError(
    `There is no command "${typed(`${before}${name ?? ''}`)}". Known are: ${Object.keys(known).join(', ')}` +
      `${before === '' ? `, ${Object.keys(groups).join(', ')}` : ''}. "${typed('help')}" explains them.`,
  );
}

function failureOf(error: unknown) {
  const { key = null, status = null, params = {} } = error as { key?: string; status?: number; params?: object };
  return { error: { key, status, params, message: linesOf(error)[0] } };
}

/** Takes the options out that may stand anywhere before `--`. */
function readGeneral(words: string[]): { place: Place; isJson: boolean; rest: string[] } {
  const { KONTOR_PROFILE, KONTOR_URL, KONTOR_WORKSPACE } = process.env;
  const place: Place = {
    profile: KONTOR_PROFILE || 'default',
    url: KONTOR_URL || undefined,
    workspaceId: KONTOR_WORKSPACE || undefined,
  };
  const rest: string[] = [];
  let isJson = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const [option = '', value] = word.split(/=(.*)/s, 2);
    if (word === '--') {
      rest.push(...words.slice(at));
      break;
    }
    if (word === '--json') isJson = true;
    else if (Object.hasOwn(general, option))
      place[general[option as keyof typeof general]] = value ?? words[++at] ?? '';
    else rest.push(word);
  }
  return { place, isJson, rest };
}

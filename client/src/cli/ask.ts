import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';

/** Whether a person sits before the command. */
export function isAttended(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks at the terminal, on stderr, so that the output can go elsewhere. */
export async function ask(question: string, preset = ''): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = (await terminal.question(preset === '' ? `${question}: ` : `${question} [${preset}]: `)).trim();
    return answer === '' ? preset : answer;
  } finally {
    terminal.close();
  }
}

/** Asks for a secret without showing it. Without a terminal, the first line of the input is the secret. */
export async function askSecret(question: string): Promise<string> {
  if (!isAttended()) return firstLine();
  process.stderr.write(`${question}: `);
  const silent = new Writable({ write: (_part, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}

async function firstLine(): Promise<string> {
  return (await textOf(process.stdin)).split(/\r?\n/, 1)[0] ?? '';
}

/** Everything that comes by the pipe, without the line ends that programs and editors put behind a text. */
export async function readInput(): Promise<string> {
  if (isAttended()) process.stderr.write('Write the text, and end it with Ctrl+D on a line of its own.\n');
  return (await textOf(process.stdin)).trimEnd();
}

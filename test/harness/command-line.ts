import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';

const program = join(import.meta.dirname, '../../client/bin/kontor.js');
/** Spares each start a part of its work, as the tests have it. */
const cached = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

export type Ran = { code: number | null; out: string; err: string };
type Given = { input?: string; env?: object; flags?: string[] };

/** The command `kontor` of a person without a terminal, whose home is an empty folder. */
export async function openCommandLine() {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-command-line-'));
  const home = { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), TZ: 'UTC', ...cached };
  const start = (words: string[], { input = '', env = {}, flags = [] }: Given = {}) => {
    const child = spawn(process.execPath, [...flags, program, ...words], { env: { ...home, ...env } });
    child.stdin.end(input);
    return child;
  };
  return {
    folder,
    profileFile: join(folder, 'config/kontor/default.json'),
    start,
    /** Runs the command as a shell would. */
    kontor: async (words: string[], given: Given = {}): Promise<Ran> => {
      const child = start(words, given);
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      const [out, err, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), ended]);
      return { code, out, err };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

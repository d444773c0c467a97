// Plain JavaScript that old releases of Node can parse: whichever Node a person has, it finds the pinned one.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';

const neededMajor = 24;
const isWindows = process.platform === 'win32';

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * Runs a program of Kontor, in this process where that is possible, so that signals and exit codes are its own.
 * @param {string} path from the folder of the repository
 * @param {string[]} parameters
 */
export async function launch(path, parameters) {
  const isNew = Number(process.versions.node.split('.')[0]) >= neededMajor;
  const environment = {
    MALLOC_ARENA_MAX: '2',
    // Returns the memory of large mails to the system. By default malloc raises this bound to the largest freed block.
    MALLOC_MMAP_THRESHOLD_: '1048576',
    // Saves later starts a third of their work. Not in the shared temporary folder, where other users could plant code.
    NODE_COMPILE_CACHE: pathOf('node_modules/.cache/kontor'),
    ...process.env,
  };
  if (isNew && isWindows) {
    // Windows has no exec.
    module.enableCompileCache(environment.NODE_COMPILE_CACHE);
    process.argv.splice(1, process.argv.length, pathOf(path), ...parameters);
    await import(new URL(`../${path}`, import.meta.url).href);
    return;
  }
  // Node reads these flags only at its start, so this process starts Node again. Measured in
  // docs/decisions/011-node-flags-keep-memory-low.md.
  const flags = [
    '--max-semi-space-size=16',
    '--heap-growing-percent=50',
    '--no-parallel-scavenge',
    ...process.execArgv,
  ];
  const words = [...flags, pathOf(path), ...parameters];
  if (isNew) process.execve(process.execPath, [process.execPath, ...words], environment);
  else runBeside(words, environment);
}

/**
 * Runs the pinned Node beside this one, which is too old to become another program. Passes on signals and the exit code.
 * @param {string[]} words
 * @param {NodeJS.ProcessEnv} environment
 */
export function runBeside(words, environment) {
  const node = pathOf(`node_modules/node/bin/node${isWindows ? '.exe' : ''}`);
  if (!existsSync(node)) {
    console.error(
      `Kontor needs Node ${neededMajor}, and this is ${process.version}. "npm ci" installs Node ${neededMajor} beside ` +
        'Kontor; if that is what you did, run "npm rebuild node", because it was installed without its install script.',
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, words, { env: environment, stdio: 'inherit' });
  // A terminal sends SIGINT to the child as well, and a second one would end it at once.
  const isAtTerminal = [0, 1, 2].some((stream) => isatty(stream));
  process.on('SIGINT', () => isAtTerminal || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

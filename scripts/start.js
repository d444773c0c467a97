// Plain JavaScript that old releases of Node can parse, so that they get a clear error. The service runs in this
// process, so that signals and exit codes are its own.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const neededMajor = 24;
const major = Number(process.versions.node.split('.')[0]);

if (major < neededMajor) {
  console.error(
    `Kontor needs Node ${neededMajor}, and this is ${process.version}: start it with "npm start", ` +
      'and if that is what you did, run "npm rebuild node", ' +
      'because the pinned runtime was installed without its install script.',
  );
  process.exitCode = 1;
} else {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  // Node reads these flags only at its start, so this process starts Node again. Measured in
  // docs/decisions/011-node-flags-keep-memory-low.md.
  const flags = [
    '--max-semi-space-size=16',
    '--heap-growing-percent=50',
    '--no-parallel-scavenge',
    ...process.execArgv,
  ];
  const environment = {
    MALLOC_ARENA_MAX: '2',
    // Returns the memory of large mails to the system. By default malloc raises this bound to the largest freed block.
    MALLOC_MMAP_THRESHOLD_: '1048576',
    // Saves later starts a third of their work. Not in the shared temporary folder, where other users could plant code.
    NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/kontor', import.meta.url)),
    ...process.env,
  };
  if (process.platform === 'win32') {
    // Windows has no exec.
    module.enableCompileCache(environment.NODE_COMPILE_CACHE);
    process.argv.splice(2, 0, 'serve');
    await import('../src/main.ts');
  } else {
    process.execve(
      process.execPath,
      [process.execPath, ...flags, main, 'serve', ...process.argv.slice(2)],
      environment,
    );
  }
}

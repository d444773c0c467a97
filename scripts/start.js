// Plain JavaScript that old releases of Node parse too: it tells what is missing before anything else is loaded.
// The service then runs in this very process, so that signals and exit codes are its own.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const neededMajor = 24;
const major = Number(process.versions.node.split('.')[0]);

if (major < neededMajor) {
  console.error(
    `Kontor needs Node ${neededMajor}, and this is ${process.version}: start it with "npm start", and if that is what you did, run "npm rebuild node", because the pinned runtime was installed without its install script.`,
  );
  process.exitCode = 1;
} else {
  // Spares later starts a third of their work. Not in the common temporary folder, where others might plant code.
  module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/kontor', import.meta.url)));
  process.argv.splice(2, 0, 'serve');
  await import('../src/main.ts');
}

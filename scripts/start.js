// Plain JavaScript that old releases of Node parse too: it tells what is missing before anything else is loaded.
// The service then runs in this very process, so that signals and exit codes are its own.
const neededMajor = 24;
const major = Number(process.versions.node.split('.')[0]);

if (major < neededMajor) {
  console.error(
    `Kontor needs Node ${neededMajor}, and this is ${process.version}: start it with "npm start", and if that is what you did, run "npm rebuild node", because the pinned runtime was installed without its install script.`,
  );
  process.exitCode = 1;
} else {
  process.argv.splice(2, 0, 'serve');
  await import('../src/main.ts');
}

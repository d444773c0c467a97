/**
 * Runs each test file that failed in a run once more, alone: `node scripts/run-again.ts <report> <flaky>`.
 * `report` is what vitest's reporter `json` wrote. The files that pass now are appended to `flaky`, a line each, so
 * that their cause is found and mended. Ends with 1 if a file fails again, or if the run failed without a failed file.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';

/** So many failures at once are no accident. */
const filesMax = 10;

const { positionals } = parseArgs({ allowPositionals: true });
const [report = '', flaky = ''] = positionals;
const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
  testResults: { name: string; status: string }[];
};
const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative('.', name));
if (failed.length === 0 || failed.length > filesMax) {
  console.error(`${failed.length} test files failed: none is run again.`);
  process.exit(1);
}
for (const file of failed) {
  console.log(`Running ${file} once more, alone.`);
  const { status } = spawnSync('npx', ['vitest', 'run', file], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  appendFileSync(flaky, `flaky: ${file}\n`);
}

import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

type ProjectConfig = NonNullable<TestProjectInlineConfiguration['test']>;

/**
 * Tests that a cluster (`CITUS`) cannot run. Those of upgrades drop the schema that holds Citus. That of query plans
 * reads plans of one PostgreSQL; `routing.test.ts` reads those of a cluster.
 */
const notOnCitus = ['test/walks/baseline.test.ts', 'test/walks/upgrade.test.ts', 'test/walks/query-plans.test.ts'];

/** Starts with the long files, so that none runs alone at the end. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => moduleId.includes('/test/flows/');
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/**
 * The tests: those of the service, the packages and the flows, and, as a project of its own, those of the components of
 * the web inbox, which run in a browser.
 * @param leftOut files of tests that this lane leaves out
 */
export function laneWithout(leftOut: readonly string[]) {
  return defineConfig({
    test: {
      projects: [{ extends: true, test: nodeTests(leftOut) }, 'web/vitest.config.ts'],
      // Four workers on two cores, as a file often waits for the database, a timer or a process that starts: three left
      // them idle for a third of the time.
      maxWorkers: 4,
      sequence: { sequencer: LongFirst },
    },
  });
}

const nodeTests = (leftOut: readonly string[]): ProjectConfig => ({
  name: 'node',
  include: [
    'src/**/*.test.ts',
    'mail/src/**/*.test.ts',
    'web/src/**/*.test.ts',
    'test/**/*.test.ts',
    'bench/**/*.test.ts',
    'importers/**/*.test.ts',
    'scripts/**/*.test.ts',
    'deploy/**/*.test.ts',
    'client/src/**/*.test.ts',
  ],
  exclude: [...configDefaults.exclude, ...(process.env.CITUS === undefined ? [] : notOnCitus), ...leftOut],
  globalSetup: 'test/harness/global-setup.ts',
  // As `npm start` does it: the processes that tests start are spared a third of their start.
  env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/kontor', import.meta.url)) },
  // Files share a worker's modules: importing the service anew for each took a third of the time.
  isolate: false,
  // Only a test that hangs comes so far: on a busy machine those of some seconds take ten times as long.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  // Likewise: a busy machine is no failure.
  expect: { poll: { timeout: 30_000 } },
});

export default laneWithout([]);

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'web/src/**/*.test.ts',
      'test/**/*.test.ts',
      'bench/**/*.test.ts',
      'importers/**/*.test.ts',
      'scripts/**/*.test.ts',
      'deploy/**/*.test.ts',
      'client/src/**/*.test.ts',
    ],
    globalSetup: 'test/global-setup.ts',
    // As `npm start` does it: the processes that tests start are spared a third of their start.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/kontor', import.meta.url)) },
    // Files share a worker's modules: importing the service anew for each took a third of the time. A third worker on two
    // cores, as a file often waits for the database, a timer or a process that starts.
    isolate: false,
    maxWorkers: 3,
    // Only a test that hangs comes so far: on a busy machine those of some seconds take ten times as long.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Likewise: a busy machine is no failure.
    expect: { poll: { timeout: 30_000 } },
  },
});

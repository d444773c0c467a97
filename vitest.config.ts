import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: 'test/global-setup.ts',
    // Files share a worker's modules: importing the service anew for each took a third of the time. A third worker on two
    // cores, as a file often waits for the database, a timer or a process that starts.
    isolate: false,
    maxWorkers: 3,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});

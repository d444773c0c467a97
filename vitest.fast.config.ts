import { defineConfig, mergeConfig } from 'vitest/config';
import { dearTests } from './test/source/lanes.ts';
import config from './vitest.config.ts';

/** The lane of `npm test`: all but the tests that take long for what they show. `npm run test:all` has all. */
export default mergeConfig(config, defineConfig({ test: { exclude: [...dearTests] } }));

import { dearTests } from './test/source/lanes.ts';
import { laneWithout } from './vitest.config.ts';

/** The lane of `npm test`: all but the tests that take long for what they show. `npm run test:all` has all. */
export default laneWithout(dearTests);

import { openAccessCache as openForSecond } from '../../src/access/auth/access-cache.ts';

/** With a clock that is so much slower, a value lives for half a minute. */
const slowness = 30;

export const openAccessCache: typeof openForSecond = (clock) =>
  openForSecond({ now: () => new Date(clock.now().getTime() / slowness) });

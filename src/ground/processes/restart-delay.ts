const windowMs = 60_000;
const endingsMax = 8;
const delayMsMin = 100;
const delayMsMax = 5_000;

/**
 * How long to wait before restarting a process that ended by itself. The delay doubles with each ending in a minute.
 * @param endedAt when processes ended, in milliseconds, the latest last
 * @returns undefined after so many endings that another start would fail as well
 */
export function restartDelayMs(endedAt: readonly number[]): number | undefined {
  const now = endedAt.at(-1) ?? 0;
  const lately = endedAt.filter((at) => now - at < windowMs).length;
  return lately < endingsMax ? Math.min(delayMsMin * 2 ** (lately - 1), delayMsMax) : undefined;
}

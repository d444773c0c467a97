const windowMs = 60_000;
const endingsMax = 8;
const delayMsMin = 100;
const delayMsMax = 5_000;

/**
 * How long to wait before a process that ended by itself is started anew: the more have ended within a minute, the longer.
 * @param endedAt when processes ended until now, in milliseconds, this one last
 * @returns undefined when there have been so many that another start would come to nothing as well
 */
export function restartDelayMs(endedAt: readonly number[]): number | undefined {
  const now = endedAt.at(-1) ?? 0;
  const lately = endedAt.filter((at) => now - at < windowMs).length;
  return lately < endingsMax ? Math.min(delayMsMin * 2 ** (lately - 1), delayMsMax) : undefined;
}

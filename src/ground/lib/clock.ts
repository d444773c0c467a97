/** The only source of time. Tests replace it to move time. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };

/**
 * `hard`: the address does not work.
 * `soft`: the address may work, but this mail did not arrive. Examples: a full mailbox, a policy refusal, an
 * unreachable server.
 * `unknown`: the report does not say.
 */
export const bounceKinds = ['hard', 'soft', 'unknown'] as const;
export type BounceKind = (typeof bounceKinds)[number];

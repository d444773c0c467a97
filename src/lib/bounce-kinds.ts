/**
 * `hard`: the address does not work. `soft`: the address works or may work, but this mail did not arrive, as with a full
 * mailbox, a refusal by policy or an unreachable server. `unknown`: the report does not say.
 */
export const bounceKinds = ['hard', 'soft', 'unknown'] as const;
export type BounceKind = (typeof bounceKinds)[number];

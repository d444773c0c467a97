/** Why a ticket is spam: a person said so, or its sender, or its sender's domain, was on the block list. */
export const spamReasons = ['marked', 'blocked_sender', 'blocked_domain'] as const;
export type SpamReason = (typeof spamReasons)[number];

/** How a mail found its ticket, best first (docs/mail.md). */
export const matchedBys = [
  'report',
  'token',
  'in-reply-to',
  'references',
  'message-id',
  'former-desk',
  'provider-thread',
  'subject',
] as const;
export type MatchedBy = (typeof matchedBys)[number];

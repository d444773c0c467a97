/** What of a very large mail does not become part of its message. */
export const mailCuts = ['text', 'attachments', 'recipients'] as const;
export type MailCut = (typeof mailCuts)[number];

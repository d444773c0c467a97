/** The parts of a very large mail that its message may lack. */
export const mailCuts = ['text', 'attachments', 'recipients'] as const;
export type MailCut = (typeof mailCuts)[number];

/** The parts that may be missing from the message of a very large mail. */
export const mailCuts = ['text', 'attachments', 'recipients'] as const;
export type MailCut = (typeof mailCuts)[number];

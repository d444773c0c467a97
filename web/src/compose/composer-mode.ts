/** The kind of text: an answer to the customer, or a note for colleagues. */
export type ComposerMode = 'answer' | 'note';

/** Whether who answers a ticket takes it: one that nobody has, none, or each. */
export const answerAssigns = ['unassigned', 'never', 'always'] as const;

/** The status in which an answer leaves its ticket. It never reopens one. */
export const answerStatuses = ['keep', 'pending', 'closed'] as const;

/** What an answer does with its ticket. */
export type WhenAnswered = {
  assign: (typeof answerAssigns)[number];
  status: (typeof answerStatuses)[number];
};

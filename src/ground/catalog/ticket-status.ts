export const statuses = ['open', 'pending', 'closed'] as const;
export type Status = (typeof statuses)[number];

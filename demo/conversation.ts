/** The people of the demo's workspace. */
export const people = {
  ines: { name: 'Ines Albrecht', email: 'ines@radwerk.example', role: 'owner' },
  tomasz: { name: 'Tomasz Zieliński', email: 'tomasz@radwerk.example', role: 'admin' },
  maya: { name: 'Maya Okafor', email: 'maya@radwerk.example', role: 'agent' },
  luc: { name: 'Luc Fournier', email: 'luc@radwerk.example', role: 'agent' },
  hana: { name: 'Hana Sato', email: 'hana@radwerk.example', role: 'viewer' },
} as const;

export type PersonKey = keyof typeof people;

/** Everybody's password. It may be public, since the demo listens on this machine alone. */
export const password = 'sattel-und-lenker-7';
export const workspaceName = 'Radwerk';
export const supportAddress = 'hello@radwerk.example';

/**
 * An event of a ticket, `hours` after the event before. In texts `@maya` mentions her. An answer goes to the customer
 * by mail; a note stays inside; `customer` is the customer's next mail.
 */
export type Step = { hours: number } & (
  | { customer: string }
  | { by: PersonKey; answer: string }
  | { by: PersonKey; note: string }
  | { by: PersonKey; assign?: PersonKey | null; priority?: string; tags?: string[] }
  | { by: PersonKey; status: 'open' | 'pending' | 'closed'; reason?: string }
  | { by: PersonKey; archive: true }
);

/** A ticket's story: a customer's mail, or with `by` an agent's note of a phone call, and the events after it. */
export type Conversation = {
  daysAgo: number;
  from: { name: string; email: string };
  by?: PersonKey;
  subject: string;
  body: string;
  steps: Step[];
};

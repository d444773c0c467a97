import type { Random } from '../../emulators/random.ts';
import { randomOf } from '../../emulators/random.ts';
import { bodyText, capital, words } from '../words.ts';
import type { Customers } from './customers.ts';
import type { Desk } from './desk.ts';

/** Agents who answer over the API, once per call of `answer`. */
export type Agents = {
  answer(): Promise<void>;
  answers: Answer[];
  /** How many answers had a file, and how many mails began a conversation. */
  counts: Record<string, number>;
};

/** An answer that the API accepted. */
export type Answer = { workspaceId: string; messageId: string };

type Ticket = { id: string; requester: { email: string } | null; mailboxId: string | null };
type Message = { id: string; to: string[] };

const ticketsAtHand = 40;

export function openAgents(desks: readonly Desk[], customers: Customers, { seed }: { seed: number }): Agents {
  const random = randomOf(seed, 2);
  const answers: Answer[] = [];
  const counts: Record<string, number> = {};
  const count = (kind: string) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };

  const note = (desk: Desk, message: Message, mailboxId: string | null): void => {
    answers.push({ workspaceId: desk.workspaceId, messageId: message.id });
    const box = desk.mailboxes.find(({ id }) => id === mailboxId);
    if (box !== undefined) for (const customer of message.to) customers.noteAnswer(customer, box);
  };
  const begin = async (desk: Desk): Promise<void> => {
    const box = random.pick(desk.mailboxes);
    const { status, body } = await desk.call<{ id: string }>('POST', '/tickets', {
      subject: `${capital(words(random, 4))} ${answers.length} of ${desk.workspaceId}`,
      body: bodyText(random),
      sendEmail: true,
      toAddresses: [customers.pick(random)],
      mailboxId: box.id,
    });
    if (status !== 201) throw new Error(`a ticket was not made: ${JSON.stringify(body)}`);
    const ticket = await desk.call<{ messages: Message[] }>('GET', `/tickets/${body.id}`);
    const [message] = ticket.body.messages;
    if (message === undefined) throw new Error('a ticket has no message');
    note(desk, message, box.id);
    count('mails to customers');
  };

  return {
    answers,
    counts,
    answer: async () => {
      const desk = random.pick(desks);
      if (random.below(8) === 0) return begin(desk);
      const { body: tickets } = await desk.call<Ticket[]>('GET', `/tickets?limit=${ticketsAtHand}&count=false`);
      const open = tickets.filter(({ requester, mailboxId }) => requester !== null && mailboxId !== null);
      const ticket = open[random.below(open.length)];
      if (ticket === undefined) return begin(desk);
      const attachmentIds = random.below(5) === 0 ? [await upload(desk, ticket, random)] : [];
      const { status, body } = await desk.call<Message>('POST', `/tickets/${ticket.id}/messages`, {
        body: bodyText(random),
        sendEmail: true,
        attachmentIds,
      });
      if (status !== 201) throw new Error(`an answer was not accepted: ${JSON.stringify(body)}`);
      note(desk, body, ticket.mailboxId);
      count(attachmentIds.length > 0 ? 'answers with a file' : 'answers');
    },
  };
}

async function upload(desk: Desk, ticket: Ticket, random: Random): Promise<string> {
  const form = new FormData();
  const content = Buffer.alloc(1_000 + random.below(100_000), words(random, 20));
  form.set('file', new Blob([content], { type: 'text/plain' }), `${words(random, 1)}.txt`);
  const { status, body } = await desk.call<{ id: string }>('POST', `/tickets/${ticket.id}/attachments`, form);
  if (status !== 201) throw new Error(`a file was not accepted: ${JSON.stringify(body)}`);
  return body.id;
}

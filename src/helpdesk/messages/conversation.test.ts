import { describe, expect, test } from 'vitest';
import { conversationOf, type TicketMail } from './conversation.ts';

const received = (id: string, authorEmail: string | null, more: Partial<TicketMail> = {}): TicketMail => ({
  rfcMessageId: id,
  direction: 'inbound',
  automaticKind: null,
  authorEmail,
  to: ['support@example.com'],
  cc: [],
  replyTo: [],
  ...more,
});
const sent = (id: string, to: string[], cc: string[] = []): TicketMail => ({
  ...received(id, 'agent@example.com', { to, cc }),
  direction: 'outbound',
});

describe('the conversation that an answer continues', () => {
  test('holds the mails that its recipients wrote or got, and answers the last inbound one', () => {
    const mails = [
      received('1', 'Ann@example.org'),
      sent('2', ['ann@example.org']),
      received('3', 'bob@example.org', { cc: ['ann@example.org'] }),
      sent('4', ['ann@example.org']),
    ];
    expect(conversationOf(mails, ['ann@example.org'])).toEqual({
      ids: ['1', '2', '3', '4'],
      answered: '3',
      addressedTo: ['support@example.com', 'ann@example.org'],
    });
  });

  test('leaves out mails between others, so that one party of a ticket learns nothing of another', () => {
    const mails = [
      received('ann', 'ann@example.org'),
      sent('to-ann', ['ann@example.org']),
      received('bob', 'bob@example.org'),
    ];
    expect(conversationOf(mails, ['bob@example.org'])).toMatchObject({ ids: ['bob'], answered: 'bob' });
    expect(conversationOf(mails, ['new@example.org'])).toEqual({ ids: [], answered: null, addressedTo: [] });
  });

  test('knows a customer by the Reply-To of their mail', () => {
    const mails = [received('1', 'ann@example.org', { replyTo: ['home@example.org'] })];
    expect(conversationOf(mails, ['HOME@example.org']).answered).toBe('1');
  });

  test('answers a person before a machine, a machine before nothing, and else follows our own last mail', () => {
    const automatic = received('auto', 'ann@example.org', { automaticKind: 'auto-reply' });
    const first = received('1', 'ann@example.org');
    expect(conversationOf([first, automatic], ['ann@example.org']).answered).toBe('1');
    expect(conversationOf([automatic], ['ann@example.org']).answered).toBe('auto');
    expect(conversationOf([sent('ours', ['ann@example.org'])], ['ann@example.org']).answered).toBe('ours');
  });
});

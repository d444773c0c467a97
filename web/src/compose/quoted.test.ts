import { expect, test } from 'vitest';
import type { Message } from '../api/client.ts';
import { quotedIn } from './quoted.ts';

const readers = { to: ['Ann@example.org'], cc: [], bcc: [] };
const answer = { quote: 'thread', forwardOf: null } as const;

function message(id: string, fields: Partial<Message>): Message {
  const mail = { id, direction: 'inbound', author: { email: 'ann@example.org' }, to: [], cc: [], replyTo: [] };
  return { ...mail, automaticKind: null, authentication: null, delivery: null, ...fields } as Message;
}

const sent = (status: string) => ({ delivery: { status } }) as Partial<Message>;
const ids = (messages: Message[], content: Parameters<typeof quotedIn>[1] = answer) =>
  quotedIn({ messages }, content, readers).map(({ id }) => id);

test('quotes mails that the readers have written or received, newest first', () => {
  const messages = [
    message('written', {}),
    message('received', {
      direction: 'outbound',
      author: { email: null } as never,
      to: ['ann@example.org'],
      ...sent('sent'),
    }),
    message('of others', { author: { email: 'bob@example.org' } as never, to: ['help@example.org'] }),
  ];
  expect(ids(messages)).toEqual(['received', 'written']);
  expect(ids(messages, { quote: 'last', forwardOf: null })).toEqual(['received']);
  expect(ids(messages, { quote: 'none', forwardOf: null })).toEqual([]);
});

test('quotes no notes, forged or automatic mail, and no answer that nobody got', () => {
  const forged = { authentication: { verdict: 'fail' } } as Partial<Message>;
  const messages = [
    message('note', { direction: 'internal' }),
    message('forged', forged),
    message('out of office', { automaticKind: 'auto-reply' }),
    message('list', { automaticKind: 'list' }),
    message('undone', { direction: 'outbound', ...sent('cancelled') }),
  ];
  expect(ids(messages)).toEqual(['list']);
});

test('a forward holds its message alone, whoever wrote it', () => {
  const messages = [message('one', { author: { email: 'bob@example.org' } as never }), message('two', {})];
  expect(ids(messages, { quote: 'last', forwardOf: 'one' })).toEqual(['one']);
});

import { expect, test } from 'vitest';
import { newId } from '../lib/ids.ts';
import { type NotifiableFact, peopleToTell } from './rules.ts';

const [ann, ben, cem, messageId] = [newId(), newId(), newId(), newId()];
const assigned: NotifiableFact = { type: 'ticket.assigned', to: ann };
const mentions: NotifiableFact = { type: 'message.added', by: 'agent', messageId, mentioned: [ann, ben, ann] };
const answered = {
  type: 'message.added',
  by: 'customer',
  messageId,
  assigneeId: ann,
  followerIds: [ann, ben],
} as const;
const reply: NotifiableFact = { ...answered, isAutomatic: false };
const mention = (userId: string) => ({ userId, type: 'mention', messageId });

test.each<[string, NotifiableFact[], string | null, object[]]>([
  ['the new assignee', [assigned], ben, [{ userId: ann, type: 'assignment', messageId: null }]],
  ['nobody of their own action', [assigned], ann, []],
  ['nobody when a ticket is unassigned', [{ type: 'ticket.assigned', to: null }], ben, []],
  ['each mentioned user once', [mentions], cem, [mention(ann), mention(ben)]],
  ['mentioned users other than the author', [mentions], ann, [mention(ben)]],
  ['of the mention rather than the assignment', [assigned, mentions], cem, [mention(ann), mention(ben)]],
  ['the same in any order of the facts', [mentions, assigned, reply], null, [mention(ann), mention(ben)]],
  [
    'the assignee and the followers of a reply, once',
    [reply],
    null,
    [ann, ben].map((userId) => ({ userId, type: 'reply', messageId })),
  ],
  ['nobody of automatic mail', [{ ...answered, isAutomatic: true }], null, []],
])('tells %s', (_name, facts, actorUserId, expected) => {
  const byUser = (a: { userId: string }, b: { userId: string }) => (a.userId < b.userId ? -1 : 1);
  expect(peopleToTell(facts, actorUserId).toSorted(byUser)).toEqual(expected);
});

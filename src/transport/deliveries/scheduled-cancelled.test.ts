import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember } from '../../../test/worlds/factories.ts';
import { useScheduledDesk } from '../../../test/worlds/scheduled-desk.ts';
import { scrubMessages } from '../../helpdesk/erasures/scrub-messages.ts';

/** An answer that leaves later, cancelled by hand before. */

const house = useHouse();
const desk = useScheduledDesk(house);
const { schedule, steer, read, deliveryOf, draftsOf, toldOf, shown } = desk;

describe('cancelled by hand', () => {
  test('its text is a draft again, and its ticket as before', async () => {
    const before = await shown();
    const message = await schedule({ thenStatus: 'closed' });
    await steer('cancel', message);
    expect(await deliveryOf(message)).toMatchObject({ status: 'cancelled' });
    expect(await shown()).toEqual(before);
    expect(await draftsOf(desk.ann)).toMatchObject([{ body: 'Off and on?', quote: 'none' }]);
    expect(await toldOf(desk.ann)).toEqual([]);
  });

  test('a forward is one again, without a text', async () => {
    const [{ id: forwardOf }] = (await read()).messages;
    const sent = { body: undefined, forwardOf, toAddresses: ['supplier@parts.example'] };
    await steer('cancel', await schedule(sent));
    expect(await draftsOf(desk.ann)).toMatchObject([{ body: '', bodyHtml: null, forwardOf, to: sent.toAddresses }]);
  });

  test('by a colleague, its author is told and has the text', async () => {
    const message = await schedule();
    await steer('cancel', message, desk.owner);
    expect([await draftsOf(desk.owner), await draftsOf(desk.ann)]).toMatchObject([[], [{ body: 'Off and on?' }]]);
    expect(await toldOf(desk.ann)).toEqual([expect.stringContaining('was not sent')]);
  });

  test('of a member who has left, whoever cancels it has the text', async () => {
    const ben = await makeMember(house, desk.owner.workspaceId, 'agent');
    const message = await schedule({}, ben);
    await desk.owner.call('DELETE', `/members/${ben.userId}`);
    await steer('cancel', message, desk.owner);
    expect(await draftsOf(desk.owner)).toMatchObject([{ body: 'Off and on?' }]);
  });

  test('it returns whole if nothing was found to quote', async () => {
    await steer('cancel', await schedule({ quote: 'last', toAddresses: ['new@parts.example'] }));
    expect(await draftsOf(desk.ann)).toMatchObject([{ body: 'Off and on?', quote: 'none' }]);
  });

  test.each([
    ['a quote', { quote: 'last' }],
    ['a forward', { toAddresses: ['supplier@parts.example'] }],
  ])('it returns whole if an erasure took %s away', async (kind, input) => {
    const [{ id: forwardOf }] = (await read()).messages;
    const message = await schedule(kind === 'a forward' ? { ...input, forwardOf } : input);
    const person = { contactIds: [], addresses: ['gone@example.org'], names: [] };
    const erased = { person, messageIds: [message.id], isOfConversation: true };
    await house.app.db.tx((tx) => scrubMessages(tx, desk.owner.workspaceId, erased));
    await steer('cancel', message);
    expect(await draftsOf(desk.ann)).toMatchObject([{ body: 'Off and on?', quote: 'none' }]);
  });

  test('a draft begun since keeps its recipients and its quote', async () => {
    const message = await schedule({ quote: 'last', ccAddresses: ['boss@example.org'] });
    const begun = { body: 'For her alone', to: ['cy@example.org'], quote: 'none', version: 0 };
    await desk.ann.call('PUT', `/tickets/${desk.now.ticket.id}/drafts/answer`, begun);
    await steer('cancel', message);
    expect(await draftsOf(desk.ann)).toMatchObject([
      { body: 'Off and on?\n\nFor her alone', to: ['cy@example.org'], cc: [], quote: 'none' },
    ]);
  });

  test('a draft begun since can be saved, however long both are', async () => {
    const message = await schedule({ body: 'x'.repeat(150_000) });
    const body = 'y'.repeat(100_000);
    await desk.ann.call('PUT', `/tickets/${desk.now.ticket.id}/drafts/answer`, { body, version: 0 });
    await steer('cancel', message);
    expect(await draftsOf(desk.ann)).toMatchObject([{ body }]);
  });

  test('it cannot also be sent again', async () => {
    const message = await schedule();
    const { body } = await steer('cancel', message);
    expect(body.delivery).toMatchObject({ status: 'cancelled', isDraftAgain: true });
    expect((await steer('retry', message)).body.key).toBe('message.already_sent');
  });

  test('once it was about to leave, it can', async () => {
    const message = await schedule();
    await steer('retry', message);
    await steer('cancel', message);
    expect((await steer('retry', message)).status).toBe(200);
  });

  test('its author does not see the ticket any more: whoever cancels it has the text', async () => {
    const message = await schedule();
    const { body: team } = await desk.owner.call('POST', '/teams', {
      name: `T${desk.now.mails}`,
      visibility: 'members',
      memberIds: [],
    });
    await desk.owner.call('PATCH', `/tickets/${desk.now.ticket.id}`, { teamId: team.id });
    await desk.owner.call('DELETE', `/tickets/${desk.now.ticket.id}/followers/${desk.ann.userId}`);
    await steer('cancel', message, desk.owner);
    expect(await draftsOf(desk.owner)).toMatchObject([{ body: 'Off and on?' }]);
  });

  test('an earlier assignee outside its team does not get the ticket back', async () => {
    await desk.owner.call('PATCH', `/tickets/${desk.now.ticket.id}`, { assigneeId: desk.ann.userId });
    await desk.owner.call('PATCH', '', { whenAnswered: { assign: 'always', status: 'keep' } });
    const message = await schedule({}, desk.owner);
    await desk.owner.call('PATCH', '', { whenAnswered: null });
    expect(await shown()).toMatchObject({ assigneeId: desk.owner.userId });
    const { body: team } = await desk.owner.call('POST', '/teams', {
      name: `U${desk.now.mails}`,
      visibility: 'members',
      memberIds: [],
    });
    await desk.owner.call('PATCH', `/tickets/${desk.now.ticket.id}`, { teamId: team.id });
    await desk.owner.call('DELETE', `/tickets/${desk.now.ticket.id}/followers/${desk.ann.userId}`);
    await steer('cancel', message, desk.owner);
    expect(await shown()).toMatchObject({ assigneeId: null });
  });

  test('its content cannot be removed before', async () => {
    const message = await schedule();
    expect((await steer('redact', message, desk.owner, {})).body.key).toBe('message.not_sent_yet');
  });
});

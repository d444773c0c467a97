import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { uploadApart } from '../../../test/harness/uploads.ts';
import { makeMember } from '../../../test/worlds/factories.ts';
import { useScheduledDesk } from '../../../test/worlds/scheduled-desk.ts';

/** An answer that leaves later, whose customer writes before. */

const house = useHouse();
const desk = useScheduledDesk(house);
const { later, schedule, named, comeDue, read, deliveryOf, draftsOf, customerWrites, toldOf, shown } = desk;

describe('a customer’s mail before its time', () => {
  test('cancels it, and its author has the text and the files again', async () => {
    const { id: fileId } = (await uploadApart(house, desk.ann, { name: 'plan.txt', content: 'plan' })).body;
    const message = await schedule({
      ...{ bodyHtml: '<p>Off and <b>on</b>?</p>', quote: 'last', ccAddresses: ['boss@example.org'] },
      ...{ attachmentIds: [fileId], thenStatus: 'closed' },
    });
    expect(message.quotedHtml).not.toBeNull();
    await customerWrites();
    expect(await deliveryOf(message)).toMatchObject({ status: 'cancelled' });
    expect(await shown()).toMatchObject({ status: 'open', messageCount: 2 });
    const [draft, ...others] = await draftsOf(desk.ann);
    expect(others).toEqual([]);
    expect(draft).toMatchObject({
      ...{ kind: 'answer', body: 'Off and on?', bodyHtml: '<p>Off and <b>on</b>?</p>', quote: 'last' },
      ...{ to: message.to, cc: ['boss@example.org'], attachments: [{ fileName: 'plan.txt' }] },
    });
    expect(draft.attachments[0].id).not.toBe(fileId);
    await comeDue(message);
    expect(await desk.countSent(named(message))).toBe(0);
    const again = { body: draft.body, sendEmail: true, attachmentIds: [draft.attachments[0].id], draftId: draft.id };
    expect((await desk.ann.call('POST', `/tickets/${desk.now.ticket.id}/messages`, again)).status).toBe(201);
  });

  test('tells its author, and says in the history what led to it', async () => {
    const message = await schedule();
    await customerWrites();
    expect(await toldOf(desk.ann)).toContainEqual(expect.stringContaining('because the customer wrote first'));
    const events = await desk.eventsOf(named(message));
    const reply = (await read()).messages.at(-1);
    expect(events.findLast(({ type }) => type === 'message.delivery_changed')).toMatchObject({
      data: { messageId: message.id, status: 'cancelled' },
      cause: { kind: 'mail', id: reply.id },
    });
  });

  test('loses neither its text nor what its author writes meanwhile', async () => {
    await schedule();
    const begun = { body: 'One more thing', version: 0 };
    await desk.ann.call('PUT', `/tickets/${desk.now.ticket.id}/drafts/answer`, begun);
    await customerWrites();
    expect(await draftsOf(desk.ann)).toMatchObject([{ body: 'Off and on?\n\nOne more thing', version: 2 }]);
    const stale = await desk.ann.call('PUT', `/tickets/${desk.now.ticket.id}/drafts/answer`, {
      body: 'One more',
      version: 1,
    });
    expect(stale.body).toMatchObject({ key: 'draft.newer' });
  });

  test('cancels each of two', async () => {
    await schedule({ body: 'First' });
    await schedule({ body: 'Second', sendAt: later(24) });
    await customerWrites();
    expect(await draftsOf(desk.ann)).toMatchObject([{ body: 'First\n\nSecond' }]);
  });

  test('leaves it alone if its author wants that, or if a machine wrote', async () => {
    const firm = await schedule({ unlessReplied: false });
    const shy = await schedule();
    await customerWrites({ 'Auto-Submitted': 'auto-replied' });
    expect(await deliveryOf(shy)).toMatchObject({ status: 'scheduled' });
    await customerWrites();
    expect(await deliveryOf(shy)).toMatchObject({ status: 'cancelled' });
    expect(await deliveryOf(firm)).toMatchObject({ status: 'scheduled', unlessReplied: false });
    await comeDue(firm);
    expect(await deliveryOf(firm)).toMatchObject({ status: 'sent' });
  });

  test('finds it in the ticket into which its ticket was merged', async () => {
    const message = await schedule();
    const { body: other } = await desk.owner.call('POST', '/tickets', { subject: 'Other', body: 'x' });
    await desk.owner.call('POST', `/tickets/${desk.now.ticket.id}/merge`, { targetTicketId: other.id });
    await customerWrites();
    desk.now.ticket = other;
    expect(await deliveryOf(message)).toMatchObject({ status: 'cancelled' });
  });

  test('cancels that of a member who has left, whose text stays in the message', async () => {
    const ben = await makeMember(house, desk.owner.workspaceId, 'agent');
    const message = await schedule({}, ben);
    await desk.owner.call('DELETE', `/members/${ben.userId}`);
    await customerWrites();
    expect(await deliveryOf(message)).toMatchObject({ status: 'cancelled' });
  });
});

import { expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { type AnswerOf, askedFor } from '../../test/fake-api.ts';
import { openPage } from '../../test/page.tsx';
import { idOf, ticketOf, time } from '../../test/records.ts';
import { headingOf, seePath, seeText, textBox } from '../../test/screen.ts';
import { workspaceWith } from '../../test/workspace.ts';

const { keyboard } = userEvent;

type Draft = AnswerOf<'listDrafts'>['items'][number];

const draftOf = (fields: Partial<Draft>): Draft => ({
  ...{ id: idOf('draft'), ticketId: null, ticket: null, kind: 'answer', subject: '', body: 'My words', bodyHtml: null },
  ...{ to: [], cc: [], bcc: [], mailboxId: null, fromAddress: null, lastSeenMessageId: null, quote: null },
  ...{ forwardOf: null, savedReplyId: null, runActions: false, startsAs: null, version: 3, attachments: [] },
  ...{ createdAt: time, updatedAt: time },
  ...fields,
});

test('the text of a ticket that its writer no longer sees is listed, to be copied or discarded', async () => {
  const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  const asks = vi.spyOn(window, 'confirm').mockReturnValueOnce(false).mockReturnValueOnce(true);
  await openPage('/drafts', {
    ...workspaceWith(ticketOf()),
    listDrafts: () => ({ items: [draftOf({})] }),
    deleteDraft: () => undefined,
  });
  const line = page.getByRole('list', { name: 'Drafts' }).getByRole('listitem');
  await expect.element(line.getByText('A ticket that you no longer see', { exact: true })).toBeVisible();
  expect(line.getByRole('link').elements()).toEqual([]);
  await line.getByRole('button', { name: 'Copy the text' }).click();
  expect(copied).toHaveBeenCalledWith('My words');
  const discard = line.getByRole('button', { name: 'Discard draft' });
  await discard.click();
  expect(askedFor('deleteDraft')).toEqual([]);
  await discard.click();
  await expect.poll(() => askedFor('deleteDraft')).toMatchObject([{ path: { draftId: idOf('draft') } }]);
  expect(askedFor('deleteDraft')[0]?.query).toMatchObject({ version: '3' });
  await expect.element(page.getByText(/^You have no drafts/)).toBeVisible();
  expect(asks).toHaveBeenCalledTimes(2);
  await seePath('/drafts');
});

test('an older draft of a new ticket is discarded and brought back apart from the newest', async () => {
  const drafts = ['Newest', 'Older'].map((subject) =>
    draftOf({ id: idOf(subject), kind: 'ticket', subject, body: `${subject} text` }),
  );
  await openPage('/drafts', {
    ...workspaceWith(ticketOf()),
    listDrafts: () => ({ items: drafts }),
    deleteDraft: () => {
      drafts.pop();
    },
    createDraft: ({ body: { subject = '', body = '' } }) => {
      const made = draftOf({ id: idOf('again'), kind: 'ticket', subject, body });
      drafts.unshift(made);
      return made;
    },
  });
  const lines = page.getByRole('list', { name: 'Drafts' }).getByRole('listitem');
  await page.getByRole('button', { name: 'Discard draft: Older' }).click();
  await expect.poll(() => askedFor('deleteDraft').map(({ path }) => path.draftId)).toEqual([idOf('Older')]);
  await expect.poll(() => lines.elements()).toHaveLength(1);
  await keyboard('z');
  await expect
    .poll(() => askedFor('createDraft').map(({ body }) => body))
    .toMatchObject([{ subject: 'Older', body: 'Older text' }]);
  await expect.poll(() => lines.elements()).toHaveLength(2);
});

test('an older draft of a new ticket goes on where it stopped, and the newest stays as it is', async () => {
  let drafts = ['Newest', 'Older'].map((subject) =>
    draftOf({ id: idOf(subject), kind: 'ticket', subject, body: `${subject} text` }),
  );
  await openPage('/drafts', {
    ...workspaceWith(ticketOf()),
    listDrafts: () => ({ items: drafts }),
    putDraft: ({ path, body }) => {
      drafts = drafts.map((draft) =>
        draft.id === path.draftId ? { ...draft, body: body.body ?? '', version: draft.version + 1 } : draft,
      );
      return drafts.find(({ id }) => id === path.draftId) as Draft; // the page names those that it was told
    },
    deleteDraft: ({ path }) => {
      drafts = drafts.filter(({ id }) => id !== path.draftId);
    },
    createDraft: ({ body: { subject = '', body = '' } }) => {
      const made = draftOf({ id: idOf('again'), kind: 'ticket', subject, body });
      drafts = [made, ...drafts];
      return made;
    },
  });
  const subject = page.getByLabelText('Subject');
  const open = async (name: string) => {
    await page.getByRole('list', { name: 'Drafts' }).getByRole('link', { name }).click();
    await expect.element(headingOf('New ticket')).toBeVisible();
    await expect.element(subject).toHaveValue(name);
  };
  await open('Older');
  await seeText('Older text');
  await textBox.fill('Older text, continued');
  await expect.poll(() => drafts.map(({ body }) => body)).toEqual(['Newest text', 'Older text, continued']);
  window.history.back();
  await open('Newest');
  await seeText('Newest text');
  window.history.back();
  await open('Older');
  await seeText('Older text, continued');
  // Discarded in its form, it goes alone, and comes back.
  await page.getByRole('button', { name: 'Discard draft' }).click();
  await expect.poll(() => drafts.map(({ subject }) => subject)).toEqual(['Newest']);
  await keyboard('z');
  await expect.poll(() => drafts.map(({ subject }) => subject)).toEqual(['Older', 'Newest']);
});

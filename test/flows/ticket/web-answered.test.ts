import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { rewrite, startWriting, useWritingPages } from '../../pages/writing-pages.ts';
import { putMailbox } from '../../worlds/put-mailbox.ts';

const house = useHouse();
const { openPage, openTicket } = useWritingPages(house);

test('the first steps offer what a reply does, the reply card says it, and undo takes it back', async () => {
  const { page, complaints } = await openPage();
  const owner = await openTicket(page, 'Taken');
  const rule = async () => (await owner.call('GET', '')).body.whenAnswered;
  const state = async () => {
    const [{ assigneeId, status }] = (await owner.call('GET', '/tickets?status=open&status=pending')).body;
    return { assigneeId, status };
  };
  await putMailbox(house, {
    ...{ workspaceId: owner.workspaceId, provider: 'mail-b', refreshToken: 'token' },
    address: 'desk@office.example',
  });
  await page.goto('/');
  await page.getByRole('button', { name: 'Getting started' }).click();
  await page.getByRole('button', { name: 'Use this' }).click();
  await expect.poll(rule).toEqual({ assign: 'unassigned', status: 'pending' });
  await page.getByRole('button', { name: 'Use this' }).waitFor({ state: 'detached' });
  await page.goto('/t/1');
  await startWriting(page);
  await page.getByText('Sends, assigns to you and sets to “Waiting on customer”.').waitFor();
  await rewrite(page, 'Is it plugged in?');
  await page.keyboard.press('Control+Enter');
  await expect.poll(state).toEqual({ assigneeId: owner.userId, status: 'pending' });
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect.poll(state).toEqual({ assigneeId: null, status: 'open' });
  expect(complaints).toEqual([]);
});

test('managers choose it for the workspace and for a mailbox, by keyboard too', async () => {
  const { page, complaints } = await openPage();
  const owner = await openTicket(page, 'Chosen');
  const { workspaceId } = owner;
  const address = 'help@office.example';
  const { id } = await putMailbox(house, { workspaceId, provider: 'mail-b', address, refreshToken: 'token' });
  await page.goto('/settings/workspace');
  await page.getByLabel('Assign the ticket to them').focus();
  await page.keyboard.press('A');
  await page.getByLabel('Set the ticket to').focus();
  await page.keyboard.press('C');
  await page.getByRole('button', { name: 'Save' }).focus();
  await page.keyboard.press('Enter');
  const chosen = { assign: 'always', status: 'closed' };
  await expect.poll(async () => (await owner.call('GET', '')).body.whenAnswered).toEqual(chosen);
  const ofMailbox = async () =>
    (await owner.call('GET', '/mailboxes')).body.find((mailbox: { id: string }) => mailbox.id === id).whenAnswered;
  await page.goto(`/settings/mailboxes/${id}`);
  await page.getByLabel('Assign the ticket to them').selectOption('Never');
  await page.getByRole('button', { name: 'Save' }).click();
  // What the form leaves to the workspace is as the workspace has it now.
  await expect.poll(ofMailbox).toEqual({ assign: 'never', status: 'closed' });
  await page.getByLabel('Assign the ticket to them').selectOption('As the workspace');
  await page.getByLabel('Set the ticket to').selectOption('As the workspace');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(ofMailbox).toBeNull();
  expect(complaints).toEqual([]);
});

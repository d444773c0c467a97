import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { axeFaults } from '../../../test/axe.ts';
import { type AnswerOf, type Answers, askedFor } from '../../../test/fake-api.ts';
import { openPage } from '../../../test/page.tsx';
import { idOf, me, start, time } from '../../../test/records.ts';
import { clickAndSee } from '../../../test/screen.ts';
import { workspaceWith } from '../../../test/workspace.ts';

type AutoReply = AnswerOf<'readAutoReply'>;

const received: AutoReply = {
  id: idOf('received'),
  name: 'We have your mail',
  mailboxId: null,
  kind: 'received',
  calendarId: null,
  validFrom: null,
  validUntil: null,
  savedReplyId: idOf('thanks'),
  isActive: true,
  sentToday: 12,
  withheldToday: [
    { reason: 'automatic', count: 3 },
    { reason: 'answered_lately', count: 1 },
  ],
  version: 1,
  createdAt: time,
  updatedAt: time,
};
const thanks = {
  id: idOf('thanks'),
  name: 'Thanks',
  shortcut: null,
  subject: null,
  actions: {},
  isShared: true,
  createdBy: me.user.id,
  useCount: 0,
  createdAt: time,
  updatedAt: time,
  version: 1,
  snippet: 'Thank you.',
  attachmentCount: 0,
};
const { snippet: _snippet, attachmentCount: _attachmentCount, ...text } = thanks;
const office: AnswerOf<'readCalendar'> = {
  id: idOf('office'),
  name: 'Office',
  timeZone: 'UTC',
  hours: [{ day: 1, open: '09:00', close: '17:00' }],
  days: [],
  isOpen: true,
  changesAt: null,
  version: 1,
  createdAt: time,
  updatedAt: time,
};
const service: Answers = {
  ...workspaceWith(),
  listAutoReplies: () => [received],
  listAutomaticMailPauses: () => [],
  resumeAutomaticMail: () => undefined,
  listCalendars: () => [office],
  listSavedReplies: () => ({ items: [thanks, { ...thanks, id: idOf('own'), name: 'My own', isShared: false }] }),
  readSavedReply: () => ({ ...text, body: 'Thank you.', bodyHtml: null, attachments: [] }),
  createAutoReply: ({ body }) => ({ ...received, ...body, isActive: false, sentToday: 0, withheldToday: [] }),
  updateAutoReply: ({ body }) => ({ ...received, ...body, version: 2 }),
  testAutoReply: () => undefined,
  deleteAutoReply: () => undefined,
};
const choose = async (label: string, option: string) => {
  await page.getByRole('button', { name: `${label}:` }).click();
  await page.getByRole('menuitemradio', { name: option }).click();
};

test('the list says which are on, what they sent and what they withheld', async () => {
  await openPage('/settings/auto-replies', service);
  await expect.element(page.getByText('12 sent in 24 hours · 4 withheld')).toBeVisible();
  await expect.element(page.getByText('On', { exact: true })).toBeVisible();
  expect(await axeFaults()).toEqual([]);
});

test('a manager makes one for the time outside business hours', async () => {
  await openPage('/settings/auto-replies?reply=new', service);
  await page.getByLabelText('Name', { exact: true }).fill('Closed');
  await page.getByRole('radio', { name: 'Outside business hours' }).click();
  const create = page.getByRole('button', { name: 'Create automatic reply' });
  await create.click();
  await expect.element(page.getByRole('alert')).toHaveTextContent('Choose the business hours.');
  await choose('Business hours', 'Office');
  await create.click();
  await expect.element(page.getByRole('alert')).toHaveTextContent('Choose the saved reply that is sent.');
  await page.getByRole('button', { name: 'Saved reply:' }).click();
  await expect.element(page.getByText('My own')).not.toBeInTheDocument();
  await page.getByRole('menuitemradio', { name: 'Thanks' }).click();
  expect(await axeFaults()).toEqual([]);
  await clickAndSee('Create automatic reply', 'The automatic reply is made. It is still off.');
  expect(askedFor('createAutoReply')[0]?.body).toEqual({
    name: 'Closed',
    savedReplyId: thanks.id,
    mailboxId: null,
    kind: 'out_of_hours',
    calendarId: office.id,
    validFrom: null,
    validUntil: null,
  });
});

test('between two days, the last day counts as a whole', async () => {
  await openPage('/settings/auto-replies?reply=new', service);
  await page.getByLabelText('Name', { exact: true }).fill('Holiday');
  await page.getByRole('radio', { name: 'At any time between two days' }).click();
  await page.getByLabelText('First day').fill('2026-12-24');
  await page.getByLabelText('Last day').fill('2026-12-31');
  await choose('Saved reply', 'Thanks');
  await clickAndSee('Create automatic reply', 'The automatic reply is made. It is still off.');
  expect(askedFor('createAutoReply')[0]?.body).toMatchObject({
    kind: 'out_of_hours',
    calendarId: null,
    validFrom: new Date(2026, 11, 24).toISOString(),
    validUntil: new Date(2027, 0, 1).toISOString(),
  });
});

test('its page says why mails got no answer, sends a test, and turns it off', async () => {
  await openPage(`/settings/auto-replies?reply=${received.id}`, service);
  await expect.element(page.getByText('3 withheld: a machine or a mailing list wrote it')).toBeVisible();
  await page.getByRole('button', { name: 'Send me a test' }).click();
  await expect.element(page.getByText('The test is on its way to your address.')).toBeVisible();
  await page.getByRole('button', { name: 'Turn off' }).click();
  await expect.poll(() => askedFor('updateAutoReply').at(-1)?.body).toEqual({ isActive: false });
  expect(await axeFaults()).toEqual([]);
});

test('a mailbox that rests is resumed here', async () => {
  await openPage('/settings/auto-replies', {
    ...service,
    listAutomaticMailPauses: () => [{ mailboxId: null, pausedAt: time }],
  });
  await expect.element(page.getByText(/Automatic replies of the mail server of the service rest since/)).toBeVisible();
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect.poll(() => askedFor('resumeAutomaticMail').at(-1)?.body).toEqual({ mailboxId: null });
});

test('who may not change them reads them', async () => {
  const asAgent = { workspaces: me.workspaces.map((workspace) => ({ ...workspace, role: 'agent' as const })) };
  await openPage('/settings/auto-replies', {
    ...service,
    readMe: () => ({ ...me, ...asAgent }),
    readStart: () => ({ ...start, ...asAgent }),
  });
  await expect.element(page.getByText('We have your mail')).toBeVisible();
  await expect.element(page.getByRole('link', { name: 'We have your mail' })).not.toBeInTheDocument();
});

import { expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { axeFaults } from '../../../test/axe.ts';
import { type AnswerOf, type Answers, askedFor } from '../../../test/fake-api.ts';
import { openPage } from '../../../test/page.tsx';
import { idOf, me, preferences, start, time } from '../../../test/records.ts';
import { clickAndSee } from '../../../test/screen.ts';
import { workspaceWith } from '../../../test/workspace.ts';

const survey: AnswerOf<'readSurvey'> = {
  ...{ id: idOf('survey'), mailboxId: null, ask: 'after_close', scale: 'five', question: null, language: 'en' },
  ...{ delayMinutes: 120, everyDays: 14, isActive: false, version: 1, createdAt: time, updatedAt: time },
};
const service: Answers = {
  ...workspaceWith(),
  listSurveys: () => [survey],
  createSurvey: ({ body }) => ({ ...survey, ...body }),
  updateSurvey: ({ body }) => ({ ...survey, ...body, version: 2 }),
  deleteSurvey: () => undefined,
};

test('a manager makes a survey, which is off at first', async () => {
  await openPage('/settings/surveys?survey=new', service);
  await page.getByRole('button', { name: 'Scores: Two: satisfied or not' }).click();
  await page.getByRole('menuitemradio', { name: 'Three: with a middle' }).click();
  await page.getByLabelText('Question (optional)').fill('How was it?');
  expect(await axeFaults()).toEqual([]);
  await clickAndSee('Create survey', 'The survey is made. It is still off.');
  expect(askedFor('createSurvey')[0]?.body).toEqual({
    ...{ mailboxId: null, ask: 'in_answer', scale: 'three', question: 'How was it?', language: 'en' },
    ...{ delayMinutes: 60, everyDays: 14 },
  });
});

test('its page turns it on, changes the hours after closing, and deletes it', async () => {
  await openPage('/settings/surveys', service);
  await page.getByRole('link', { name: 'By an email after a ticket is closed' }).click();
  await page.getByRole('button', { name: 'Turn on' }).click();
  await expect.poll(() => askedFor('updateSurvey').at(-1)?.body).toEqual({ isActive: true });
  await page.getByLabelText('Hours after closing').fill('24');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => askedFor('updateSurvey').at(-1)?.body).toMatchObject({ delayMinutes: 1_440 });
  const confirm = vi.spyOn(window, 'confirm').mockReturnValue(true);
  await page.getByRole('button', { name: 'Delete survey' }).click();
  expect(confirm).toHaveBeenCalledWith('Delete this survey?');
  await expect.poll(() => askedFor('deleteSurvey').length).toBe(1);
});

test('whoever may not change surveys reads them, in German too', async () => {
  const asAgent = { workspaces: me.workspaces.map((workspace) => ({ ...workspace, role: 'agent' as const })) };
  await openPage('/settings/surveys', {
    ...service,
    readMe: () => ({ ...me, ...asAgent }),
    readStart: () => ({ ...start, ...asAgent, preferences: { ...preferences, locale: 'de' } }),
  });
  await expect.element(page.getByText('Mit einer E-Mail, nachdem ein Ticket geschlossen ist')).toBeVisible();
  await expect.element(page.getByRole('link', { name: /Mit einer E-Mail/ })).not.toBeInTheDocument();
  expect(await axeFaults()).toEqual([]);
});

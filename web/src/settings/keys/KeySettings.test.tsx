import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { axeFaults } from '../../../test/axe.ts';
import { type AnswerOf, type Answers, askedFor } from '../../../test/fake-api.ts';
import { openPage } from '../../../test/page.tsx';
import { ada, idOf, start, teamOf } from '../../../test/records.ts';
import { workspaceWith } from '../../../test/workspace.ts';

type ApiKey = AnswerOf<'listApiKeys'>[number];

const ben = { ...ada, userId: idOf('ben'), email: 'ben@desk.example', name: 'Ben' };
const billing = teamOf();
const sales = { ...teamOf(), id: idOf('sales'), name: 'Sales' };
const ofBen: ApiKey = {
  ...{ id: idOf('key of ben'), name: 'Export', role: 'viewer', hint: 'kontor_…wxyz', teamIds: null },
  ...{ createdBy: ben.userId, createdAt: '2026-01-05T10:00:00.000Z', lastUsedAt: null },
};

/** A service that keeps the keys of a workspace with two teams. */
function service(): Answers {
  let keys = [ofBen];
  return {
    ...workspaceWith(),
    readStart: () => ({ ...start, members: [ada, ben], teams: [billing, sales] }),
    listMembers: () => [ada, ben],
    listTeams: () => [billing, sales],
    listApiKeys: () => keys,
    createApiKey: ({ body: { name, role, teamIds = null } }) => {
      const made = { ...ofBen, id: idOf(name), name, role, teamIds, createdBy: ada.userId };
      keys = [made, ...keys];
      return { ...made, secret: 'kontor_secret' };
    },
    updateApiKey: ({ path: { apiKeyId }, body }) => {
      keys = keys.map((key) => (key.id === apiKeyId ? { ...key, ...body } : key));
      return keys[0]!;
    },
  };
}

test('a key is made for the tickets of a team, and its maker alone changes it', async () => {
  await openPage('/settings/keys', service());
  await expect.element(page.getByRole('button', { name: 'Revoke Export' })).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Edit Export' })).not.toBeInTheDocument();
  await page.getByRole('button', { name: 'New API key' }).click();
  await page.getByLabelText('Name, such as').fill('Shop');
  await page.getByRole('radio', { name: 'Only those of teams' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  expect(askedFor('createApiKey')).toEqual([]);
  await page.getByRole('checkbox', { name: 'Sales' }).click();
  expect(await axeFaults()).toEqual([]);
  await page.getByRole('button', { name: 'Create key' }).click();
  await expect.element(page.getByText('The key Shop is ready')).toBeVisible();
  expect(askedFor('createApiKey')[0]?.body).toMatchObject({ name: 'Shop', teamIds: [sales.id] });
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await expect.element(page.getByText('only Sales')).toBeVisible();
  await page.getByRole('button', { name: 'Edit Shop' }).click();
  await expect.element(page.getByRole('checkbox', { name: 'Sales' })).toBeChecked();
  await page.getByRole('radio', { name: 'All that I see' }).click();
  await page.getByRole('button', { name: 'Save key' }).click();
  await expect.element(page.getByText('only Sales')).not.toBeInTheDocument();
  expect(askedFor('updateApiKey')[0]?.body).toEqual({ name: 'Shop', teamIds: null });
});

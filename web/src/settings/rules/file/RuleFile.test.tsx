import { expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { axeFaults } from '../../../../test/axe.ts';
import { type Answers, askedFor, Refusal } from '../../../../test/fake-api.ts';
import { openPage } from '../../../../test/page.tsx';
import { workspaceWith } from '../../../../test/workspace.ts';
import type { Replaced } from './rule-file.ts';

const service: Answers = {
  ...workspaceWith(),
  listTeams: () => [],
  listMailboxes: () => [],
  listWebhooks: () => [],
  listCalendars: () => [],
  listRules: () => [],
};

const rule = {
  name: 'Billing',
  trigger: { event: 'message.added' },
  conditions: { all: [{ ticket: { team: ['none', 'Accounts'] } }] },
  actions: { teamId: 'Accounts' },
};
const plan: Replaced = { created: ['Billing'], changed: [], removed: [], unchanged: [], order: 'kept' };

const importButton = page.getByRole('button', { name: 'Import…' });
const dialog = page.getByRole('dialog');
const choose = async (content: unknown) => {
  await expect.element(importButton).toBeVisible();
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const input = document.querySelector<HTMLInputElement>('input[type="file"]');
  if (input === null) throw new Error('the page takes no file');
  // Where a person presses it.
  importButton.element().focus();
  await userEvent.upload(input, new File([text], 'rules.json', { type: 'application/json' }));
};
const sent = () => askedFor('replaceRules').map(({ query, body }) => [query.dryRun ?? null, body]);

test('the rules leave as a file', async () => {
  await openPage('/settings/rules', { ...service, readRuleBundle: () => ({ rules: [] }) });
  const saved: Blob[] = [];
  const address = vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    saved.push(blob as Blob);
    return '#';
  });
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  await page.getByRole('button', { name: 'Export' }).click();
  await expect.poll(() => saved).toHaveLength(1);
  address.mockRestore();
  clicked.mockRestore();
  expect(JSON.parse((await saved[0]?.text()) ?? '')).toEqual({ rules: [] });
});

test('a file shows what it changes, and changes it once that is confirmed', async () => {
  let told: Replaced = { ...plan, changed: ['Late'], removed: ['Old', 'Older'], unchanged: ['Same'], order: 'changed' };
  await openPage('/settings/rules', { ...service, replaceRules: () => told });
  await choose({ rules: [rule] });
  await expect.element(dialog.getByRole('heading', { name: 'Import rules.json' })).toBeVisible();
  await expect.element(dialog.getByRole('region', { name: 'One rule is added' }).getByText('Billing')).toBeVisible();
  await expect.element(dialog.getByRole('region', { name: 'One rule changes' }).getByText('Late')).toBeVisible();
  await expect.element(dialog.getByRole('region', { name: '2 rules are deleted' }).getByText('Older')).toBeVisible();
  await expect.element(dialog.getByText('One rule stays as it is.')).toBeVisible();
  await expect.element(dialog.getByText(/in the order of the file/)).toBeVisible();
  expect(await axeFaults()).toEqual([]);
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.element(importButton).toHaveFocus();
  expect(sent()).toEqual([['true', { rules: [rule] }]]);
  told = plan;
  await choose({ rules: [rule] });
  await expect.element(dialog.getByRole('region', { name: 'One rule is added' })).toBeVisible();
  // By keyboard: past Close and Cancel.
  await userEvent.keyboard('{Tab}{Tab}{Enter}');
  await expect.element(page.getByText('The rules are those of the file.')).toBeVisible();
  await expect.element(dialog).not.toBeInTheDocument();
  expect(sent().at(-1)).toEqual([null, { rules: [rule] }]);
});

test('a file that is already here changes nothing', async () => {
  await openPage('/settings/rules', {
    ...service,
    replaceRules: () => ({ ...plan, created: [], unchanged: ['Billing'] }),
  });
  await choose({ rules: [rule] });
  await expect.element(dialog.getByText(/Nothing changes/)).toBeVisible();
  expect(dialog.getByRole('button', { name: 'Import' }).query()).toBeNull();
});

test('names that lead nowhere stand beside their rule, and nothing is imported', async () => {
  const issue = (path: string, key: string, message: string) => ({
    path: `body.rules.0.${path}`,
    key,
    message,
    params: {},
  });
  await openPage('/settings/rules', {
    ...service,
    replaceRules: () => {
      const issues = [
        issue('actions.teamId', 'not_a_team', 'is not a team of this workspace, or the team is archived'),
        issue('conditions.all.0.ticket.team.1', 'not_a_team', 'is not a team of this workspace'),
        issue('trigger.event', 'not_a_choice', 'must be equal to one of the allowed values'),
      ];
      throw new Refusal(400, 'request.invalid', { issues });
    },
  });
  await choose({ rules: [rule] });
  await expect.element(dialog.getByRole('alert').getByText(/cannot be imported yet/)).toBeVisible();
  const faults = dialog.getByRole('list', { name: 'What is missing or wrong' }).getByRole('listitem');
  expect(faults.elements().map(({ textContent }) => textContent)).toEqual([
    'Billing“Accounts” is not a team of this workspace, or the team is archived',
    'Billing“Accounts” is not a team of this workspace',
    'Billing“message.added” must be equal to one of the allowed values',
  ]);
  expect(await axeFaults()).toEqual([]);
  expect(sent()).toHaveLength(1);
});

test('rules that may mail everybody wait for an answer, and a file of something else is refused', async () => {
  await openPage('/settings/rules', {
    ...service,
    replaceRules: ({ body }) => {
      if (body.confirm !== true) throw new Refusal(409, 'rule.unconfirmed', { path: 'body.rules.0' });
      return plan;
    },
  });
  const confirm = vi.spyOn(window, 'confirm').mockReturnValueOnce(false).mockReturnValueOnce(true);
  await choose({ rules: [rule] });
  await expect.poll(() => confirm.mock.calls.length).toBe(1);
  await expect.element(dialog).not.toBeInTheDocument();
  await choose({ rules: [rule] });
  await dialog.getByRole('button', { name: 'Import' }).click();
  await expect.poll(() => sent().at(-1)).toEqual([null, { rules: [rule], confirm: true }]);
  await expect.element(dialog).not.toBeInTheDocument();
  await choose('Dear customer');
  await expect.element(dialog.getByRole('alert').getByText(/rules\.json is no file of rules/)).toBeVisible();
  expect(confirm).toHaveBeenCalledTimes(2);
});

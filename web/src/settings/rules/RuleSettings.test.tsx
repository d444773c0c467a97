import { expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { axeFaults } from '../../../test/axe.ts';
import { type AnswerOf, type Answers, askedFor, hold, Refusal } from '../../../test/fake-api.ts';
import { openPage } from '../../../test/page.tsx';
import { ada, idOf, mailboxOf, me, start, teamOf, time } from '../../../test/records.ts';
import { workspaceWith } from '../../../test/workspace.ts';

type Rule = AnswerOf<'readRule'>;

function ruleOf(fields: Partial<Rule> = {}): Rule {
  return {
    ...{ id: idOf(fields.name ?? 'Business'), name: 'Business', position: 0, isActive: true, pausedReason: null },
    trigger: { event: 'message.added', direction: 'inbound' },
    conditions: { all: [{ message: { fromDomain: ['north.example'] } }] },
    actions: { addTags: ['business'] },
    ...{ onRules: false, stopAfter: false, runCount: 0, lastRunAt: null, lastOutcome: null, version: 3 },
    ...{ changedBy: ada.userId, createdAt: time, updatedAt: time },
    ...fields,
  };
}

const billing = ruleOf({
  name: 'Billing',
  conditions: { all: [{ ticket: { mailbox: [mailboxOf().id] } }] },
  actions: { teamId: teamOf().id, priority: 'normal' },
  ...{ runCount: 212, lastRunAt: time, lastOutcome: 'done' },
});
const late = ruleOf({
  name: 'Late',
  trigger: { after: '1d', since: 'waitingSince', calendarId: null },
  conditions: null,
  actions: { priority: 'high' },
  ...{ isActive: false, pausedReason: 'limit' },
});

/** A service that keeps rules. */
function serviceWith(...given: Rule[]): Answers {
  let rules = given;
  const set = (id: string, fields: Partial<Rule>): Rule => {
    rules = rules.map((rule) => (rule.id === id ? { ...rule, ...fields } : rule));
    return rules.find((rule) => rule.id === id) as Rule; // the page names those that it was told
  };
  return {
    ...workspaceWith(),
    readStart: () => ({ ...start, teams: [teamOf()], mailboxes: [mailboxOf()] }),
    listTeams: () => [teamOf()],
    listMailboxes: () => [mailboxOf()],
    listWebhooks: () => [],
    listCalendars: () => [],
    previewRule: () => ({ items: [], counts: { matched: 0, notMatched: 0, unknown: 0 } }),
    listRules: () => rules,
    createRule: ({ body: { confirm: _, ...content } }) => {
      const rule = ruleOf({ ...(content as Partial<Rule>), id: idOf(content.name) });
      rules = [...rules, rule];
      return rule;
    },
    updateRule: ({ path, body: { confirm: _, ...content } }) => set(path.ruleId, content as Partial<Rule>),
    deleteRule: ({ path }) => {
      rules = rules.filter(({ id }) => id !== path.ruleId);
    },
    activateRule: ({ path }) => set(path.ruleId, { isActive: true, pausedReason: null }),
    pauseRule: ({ path }) => set(path.ruleId, { isActive: false }),
    orderRules: ({ body: { ids } }) => {
      rules = ids.flatMap((id) => rules.find((rule) => rule.id === id) ?? []);
      return rules;
    },
  };
}

const listOf = (name: string) => page.getByRole('region', { name }).getByRole('list');
const messages = listOf('When a message arrives');
const sentences = () => [...document.querySelectorAll('ol p')].map(({ textContent }) => textContent);
const choose = async (button: string | RegExp, item: string | RegExp) => {
  await page.getByRole('button', { name: button }).last().click();
  await page
    .getByRole('menuitemradio', { name: item })
    .or(page.getByRole('menuitem', { name: item }))
    .click();
};

test('each rule is a sentence below what it waits for, with its state', async () => {
  await openPage('/settings/rules', serviceWith(billing, ruleOf(), late));
  await expect.element(messages).toBeVisible();
  expect(sentences()).toEqual([
    'If the mailbox is help@office.example, give it to the team Billing and set priority to Normal.',
    'If the sender’s domain is north.example, tag business.',
    'If a customer has waited 1 day, set priority to High.',
  ]);
  await expect.element(listOf('When time passes').getByText('stopped: it ran too often')).toBeVisible();
  expect(await axeFaults()).toEqual([]);
  await page.getByRole('checkbox', { name: 'Late: on' }).click();
  await expect.element(page.getByText('stopped: it ran too often')).not.toBeInTheDocument();
  await expect.poll(() => askedFor('activateRule')).toHaveLength(1);
  await page.getByRole('checkbox', { name: 'Billing: on' }).click();
  await expect.poll(() => askedFor('pauseRule').map(({ path }) => path.ruleId)).toEqual([billing.id]);
});

test('a new rule begins with a starting point, and waits for an answer where it could mail everybody', async () => {
  const service = serviceWith();
  let isRefused = true;
  await openPage('/settings/rules', {
    ...service,
    createRule: (asked) => {
      if (asked.body.confirm !== true && isRefused) throw new Refusal(409, 'rule.unconfirmed');
      return (service.createRule as NonNullable<Answers['createRule']>)(asked);
    },
  });
  await page.getByRole('button', { name: 'New rule' }).click();
  await expect.element(page.getByRole('dialog', { name: 'New rule' })).toBeVisible();
  expect(await axeFaults()).toEqual([]);
  await page.getByRole('button', { name: /^A customer waits too long/ }).click();
  await expect.element(page.getByRole('region', { name: 'The new rule' })).toBeVisible();
  const confirm = vi.spyOn(window, 'confirm').mockReturnValueOnce(false).mockReturnValueOnce(true);
  await page.getByRole('button', { name: 'Save and turn on' }).click();
  await expect.poll(() => confirm.mock.calls.length).toBe(1);
  await page.getByRole('button', { name: 'Save and turn on' }).click();
  await expect.element(listOf('When time passes')).toBeVisible();
  expect(askedFor('createRule').at(-1)?.body).toMatchObject({ name: 'A customer waits too long', isActive: true });
  isRefused = false;
});

test('a starting point waits for the business hours that its rule counts', async () => {
  const office: AnswerOf<'readCalendar'> = {
    ...{ id: idOf('office'), name: 'Office', timeZone: 'UTC', hours: [], days: [], version: 1 },
    ...{ isOpen: false, changesAt: null, createdAt: time, updatedAt: time },
  };
  await openPage('/settings/rules', { ...serviceWith(), listCalendars: () => [office] });
  const answer = hold('listCalendars');
  await page.getByRole('button', { name: 'New rule' }).click();
  const dialog = page.getByRole('dialog', { name: 'New rule' });
  await expect.element(dialog.getByRole('status')).toHaveTextContent('Loading…');
  expect(dialog.getByRole('button', { name: /^A customer waits too long/ }).query()).toBeNull();
  answer();
  await dialog.getByRole('button', { name: /^A customer waits too long If .* 4 hours in Office/ }).click();
  await expect.element(dialog).not.toBeInTheDocument();
  await page.getByRole('button', { name: 'Save and turn on' }).click();
  await expect.poll(() => askedFor('createRule').at(-1)?.body.trigger).toMatchObject({ calendarId: office.id });
});

test('what the service refuses stands beside its part of the rule', async () => {
  await openPage(`/settings/rules?rule=${idOf('Business')}`, {
    ...serviceWith(ruleOf()),
    updateRule: () => {
      const issue = { path: 'body.conditions.all.0.message.fromDomain', key: 'too_few_items', params: { limit: 1 } };
      throw new Refusal(400, 'request.invalid', { issues: [{ ...issue, message: 'must have items' }] });
    },
  });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const conditions = page.getByRole('group', { name: 'If', exact: true });
  await expect.element(conditions.getByRole('alert')).toBeVisible();
  expect(document.querySelectorAll('form [role="alert"]')).toHaveLength(1);
});

test('the order changes by the menu, by keys and by dragging, and the service has it each time', async () => {
  const rules = ['First', 'Second', 'Third'].map((name) => ruleOf({ name }));
  await openPage('/settings/rules', serviceWith(...rules));
  const shown = () => [...document.querySelectorAll('ol small')].map(({ textContent }) => textContent);
  await expect.poll(shown).toEqual(['First', 'Second', 'Third']);
  await page.getByRole('button', { name: 'More about “Third”' }).click();
  await page.getByRole('menuitem', { name: 'Move up' }).click();
  await expect.poll(shown).toEqual(['First', 'Third', 'Second']);
  page.getByRole('checkbox', { name: 'First: on' }).element().focus();
  await userEvent.keyboard('{Alt>}{ArrowDown}{/Alt}');
  await expect.poll(shown).toEqual(['Third', 'First', 'Second']);
  await expect.element(page.getByRole('checkbox', { name: 'First: on' })).toHaveFocus();
  await messages.getByRole('listitem').nth(2).dropTo(messages.getByRole('listitem').nth(0));
  await expect.poll(shown).toEqual(['Second', 'Third', 'First']);
  expect(askedFor('orderRules').at(-1)?.body.ids).toEqual(['Second', 'Third', 'First'].map(idOf));
});

test('whoever may not manage rules reads them', async () => {
  const asAgent = me.workspaces.map((one) => ({ ...one, role: 'agent' as const }));
  await openPage('/settings/rules', {
    ...serviceWith(billing),
    readMe: () => ({ ...me, workspaces: asAgent }),
    readStart: () => ({ ...start, workspaces: asAgent, teams: [teamOf()], mailboxes: [mailboxOf()] }),
  });
  await expect.element(messages.getByText('give it to the team')).toBeVisible();
  expect(page.getByRole('button', { name: 'New rule' }).query()).toBeNull();
  expect(page.getByRole('checkbox').query()).toBeNull();
});

test('a rule changes in place, by the keyboard alone, and only what was changed is another', async () => {
  await openPage('/settings/rules', serviceWith(ruleOf()));
  const more = page.getByRole('button', { name: 'More about “Business”' });
  await expect.element(more).toBeVisible();
  more.element().focus();
  await userEvent.keyboard('{Enter}');
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const domains = page.getByRole('textbox', { name: 'Add to the sender’s domain' });
  await expect.element(domains).toBeVisible();
  domains.element().focus();
  await userEvent.keyboard('fjord.example{Enter}');
  await expect.element(page.getByText('fjord.example', { exact: true }).first()).toBeVisible();
  await choose('Add a condition', 'the priority');
  await choose(/^How it is compared: is$/, 'is not');
  await choose('Add an action', 'Assign');
  await expect.element(page.getByRole('combobox', { name: 'Assignee' })).toHaveFocus();
  await page.getByRole('combobox', { name: 'Assignee' }).selectOptions('Ada');
  expect(await axeFaults()).toEqual([]);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect
    .poll(() => askedFor('updateRule').at(-1)?.body)
    .toEqual({
      name: 'Business',
      trigger: { event: 'message.added', direction: 'inbound' },
      conditions: {
        all: [
          { message: { fromDomain: ['north.example', 'fjord.example'] } },
          { ticket: { priority: 'high' }, not: true },
        ],
      },
      actions: { addTags: ['business'], assignee: ada.userId },
      ...{ onRules: false, stopAfter: false },
    });
  await expect.element(messages).toBeVisible();
  expect(sentences()).toEqual([
    'If the sender’s domain is north.example or fjord.example and the priority is not High, ' +
      'tag business and assign to Ada.',
  ]);
});

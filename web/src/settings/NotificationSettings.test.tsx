import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { axeFaults } from '../../test/axe.ts';
import { type AnswerOf, type Answers, type Asked, answerWith, askedFor, hold, Refusal } from '../../test/fake-api.ts';
import { openPage } from '../../test/page.tsx';
import { idOf, mailboxOf, me, start } from '../../test/records.ts';
import { workspaceWith } from '../../test/workspace.ts';

type Preferences = AnswerOf<'readNotificationPreferences'>;
type Types = Preferences['types'];
type Mailbox = ReturnType<typeof mailboxOf>;

const on = { inApp: true, email: true };
const named = (name: string) => mailboxOf({ id: idOf(name), name });
const [support, sales, depot] = [named('Support'), named('Sales'), named('Depot')];
const tick = (name: string) => page.getByRole('checkbox', { name, exact: true });
const section = page.getByRole('region', { name: 'Mailboxes' });
/** What the page has saved so far, the oldest first. */
const saved = () => askedFor('changeNotificationPreferences').map(({ body }) => body.types);

/** What the fake service keeps. Like the real one it merges the fields of a change. */
function serviceWith(types: Partial<Types>, mailboxes: Mailbox[]): Answers {
  let kept: Preferences = {
    digest: 'at_once',
    types: {
      ...{ mention: on, assignment: on, team_assignment: on, reply: on, colleague: on, mailbox: on },
      ...{ rule: on, rule_paused: on, team: on },
      ...{ new_ticket: { ...on, mailboxIds: null }, unassigned_reply: { ...on, mailboxIds: null } },
      ...types,
    },
  };
  return {
    ...workspaceWith(),
    readStart: () => ({ ...start, mailboxes }),
    listMailboxes: () => mailboxes,
    readNotificationPreferences: () => kept,
    changeNotificationPreferences: ({ body: { digest = kept.digest, types: changes = {} } }) => {
      const entries = Object.entries(kept.types) as [keyof Types, object][];
      const merged = entries.map(([type, before]) => [type, { ...before, ...changes[type] }]);
      kept = { digest, types: Object.fromEntries(merged) as Types };
      return kept;
    },
  };
}

async function openSettings(types: Partial<Types>, mailboxes: Mailbox[], more: Answers = {}) {
  const answers = { ...serviceWith(types, mailboxes), ...more };
  await openPage('/settings/notifications', answers);
  await expect.element(tick('A new ticket comes in: In app')).toBeVisible();
  return answers;
}

test('quick ticks are saved one after the other, each with what changed alone', async () => {
  await openSettings({}, [support, sales, depot]);
  const letGo = hold('changeNotificationPreferences');
  for (const name of ['Support: New tickets', 'Sales: New tickets', 'A mailbox needs attention: Email']) {
    await tick(name).click();
    await expect.element(tick(name)).not.toBeChecked();
  }
  expect(saved()).toHaveLength(1);
  letGo();
  await expect
    .poll(saved)
    .toEqual([
      { new_ticket: { mailboxIds: [sales.id, depot.id] } },
      { new_ticket: { mailboxIds: [depot.id] } },
      { mailbox: { email: false } },
    ]);
  for (const name of ['Support: New tickets', 'Sales: New tickets', 'A mailbox needs attention: Email'])
    await expect.element(tick(name)).not.toBeChecked();
});

test('a tick that is refused comes undone alone, and the page says so', async () => {
  const answers = await openSettings({}, [support, sales, depot]);
  answerWith({
    changeNotificationPreferences: () => {
      answerWith(answers);
      throw new Refusal(500, 'internal');
    },
  });
  const letGo = hold('changeNotificationPreferences');
  await tick('Support: New tickets').click();
  await tick('Sales: New tickets').click();
  letGo();
  await expect.element(tick('Support: New tickets')).toBeChecked();
  await expect.element(tick('Sales: New tickets')).not.toBeChecked();
  await expect.element(page.getByRole('alert')).toBeVisible();
  await expect.poll(() => saved().at(-1)).toEqual({ new_ticket: { mailboxIds: [support.id, depot.id] } });
});

test('a choice among mailboxes keeps what another tab has chosen since', async () => {
  const answers = await openSettings({ new_ticket: { ...on, mailboxIds: [support.id] } }, [support, sales, depot]);
  await expect.element(tick('Sales: New tickets')).not.toBeChecked();
  answers.changeNotificationPreferences?.({
    body: { types: { new_ticket: { mailboxIds: [support.id, sales.id] } } },
  } as Asked<'changeNotificationPreferences'>);
  await tick('Support: New tickets').click();
  await expect.poll(saved).toEqual([{ new_ticket: { mailboxIds: [sales.id] } }]);
  await expect.element(tick('Sales: New tickets')).toBeChecked();
});

test('the choice of mailboxes shows while it leaves some out, even if one mailbox is left', async () => {
  const types = { new_ticket: { ...on, mailboxIds: [support.id] } };
  await openSettings(types, [sales]);
  await expect.element(tick('Sales: New tickets')).not.toBeChecked();
  await expect.element(section.getByText(/tickets without a mailbox don't notify you/)).toBeVisible();
  expect(await axeFaults()).toEqual([]);
  await tick('Sales: New tickets').click();
  await expect.element(section).not.toBeInTheDocument();
  await expect.poll(saved).toEqual([{ new_ticket: { mailboxIds: null } }]);
});

test('a choice whose mailboxes are all gone can be taken back', async () => {
  await openSettings({ unassigned_reply: { ...on, mailboxIds: [support.id] } }, []);
  await expect.element(tick('All, and tickets without a mailbox: New tickets')).toBeChecked();
  await tick('All, and tickets without a mailbox: Replies, unassigned').click();
  await expect.element(section).not.toBeInTheDocument();
  await expect.poll(saved).toEqual([{ unassigned_reply: { mailboxIds: null } }]);
});

test('a workspace whose mailboxes cannot be read is a fault, and another try reads them', async () => {
  const second = { id: idOf('second'), name: 'Second', role: 'agent' } as const;
  const workspaces = [...me.workspaces, second];
  await openSettings({}, [support], {
    readMe: () => ({ ...me, workspaces }),
    readStart: () => ({ ...start, workspaces, mailboxes: [support] }),
    listMailboxes: () => {
      throw new Refusal(403, 'workspace.forbidden');
    },
  });
  await expect.element(section.getByRole('alert')).toBeVisible();
  answerWith({ listMailboxes: () => [depot] });
  await section.getByRole('button', { name: 'Try again' }).click();
  await expect.element(tick('Second: Depot: New tickets')).toBeChecked();
  await expect.element(tick('Desk: Support: Replies, unassigned')).toBeChecked();
  await expect.element(section.getByRole('alert')).not.toBeInTheDocument();
});

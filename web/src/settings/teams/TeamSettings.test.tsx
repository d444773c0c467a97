import { expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { axeFaults } from '../../../test/axe.ts';
import { type AnswerOf, type Answers, askedFor } from '../../../test/fake-api.ts';
import { openPage } from '../../../test/page.tsx';
import { ada, idOf, start, teamOf } from '../../../test/records.ts';
import { headingOf } from '../../../test/screen.ts';
import { workspaceWith } from '../../../test/workspace.ts';

type Team = AnswerOf<'readTeam'>;

const ben = { ...ada, userId: idOf('ben'), email: 'ben@desk.example', name: 'Ben', role: 'agent' as const };
const hana = { ...ben, userId: idOf('hana'), email: 'hana@desk.example', name: 'Hana' };
const people = [ada, ben, hana];

/** A service that keeps one team, and the members of a workspace. */
function serviceWith(fields: Partial<Team>): Answers {
  let team: Team = { ...teamOf(), members: [{ userId: ben.userId, isLead: false }], ...fields };
  const set = (changed: Partial<Team>) => {
    team = { ...team, ...changed };
    return team;
  };
  const others = (userId: string) => team.members.filter((member) => member.userId !== userId);
  const listed = () => ({ ...team, members: undefined, memberCount: team.members.length });
  return {
    ...workspaceWith(),
    readStart: () => ({ ...start, members: people, teams: [listed()] }),
    listMembers: () => people,
    listTeams: () => [listed()],
    readTeam: () => team,
    createTeam: ({ body }) => set({ name: body.name, members: [{ userId: ada.userId, isLead: false }] }),
    updateTeam: ({ body: { archived, ...fields } }) => set(fields),
    putTeamMember: ({ path: { userId }, body: { isLead = false } }) =>
      set({ members: [...others(userId), { userId, isLead }] }),
    removeTeamMember: ({ path: { userId } }) => void set({ members: others(userId) }),
  };
}

const inWords = page.getByRole('region', { name: 'In words' });
const membersTable = page.getByRole('table', { name: 'Members of the team' });

test('a manager makes a team and keeps its tickets to it, and the page says by name who sees them', async () => {
  await openPage('/settings/teams', serviceWith({}));
  await expect.element(page.getByRole('link', { name: 'Billing' })).toBeVisible();
  await page.getByRole('button', { name: 'New team' }).click();
  await page.getByLabelText('Name').fill('Works council');
  await page.getByRole('button', { name: 'Create team' }).click();
  await expect.element(headingOf('Works council')).toBeVisible();
  expect(askedFor('createTeam')[0]?.body).toEqual({ name: 'Works council', memberIds: [ada.userId] });
  await expect.element(inWords).not.toBeInTheDocument();
  await page.getByRole('radio', { name: 'Only this team' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.element(inWords).toBeVisible();
  expect(askedFor('updateTeam').at(-1)?.body).toEqual({ visibility: 'members' });
  await expect.element(inWords.getByText('Ada sees every ticket of Works council')).toBeVisible();
  await expect.element(inWords.getByText('Ben and Hana see none, and no sign of them')).toBeVisible();
  expect(await axeFaults()).toEqual([]);
});

test('members are added, lead, and leave a team', async () => {
  await openPage(`/settings/teams?team=${teamOf().id}`, serviceWith({ visibility: 'members' }));
  await expect.element(membersTable.getByText('Ben', { exact: true })).toBeVisible();
  await expect.element(inWords.getByText('Ada can open them as an owner')).toBeVisible();
  await page.getByRole('combobox', { name: 'New member of the team' }).selectOptions('Hana');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect.element(membersTable.getByText('Hana', { exact: true })).toBeVisible();
  await expect.element(inWords.getByText('Ben and Hana see every ticket of Billing')).toBeVisible();
  await page.getByRole('combobox', { name: 'Role of Hana in the team' }).selectOptions('Lead');
  await expect.poll(() => askedFor('putTeamMember').at(-1)?.body).toEqual({ isLead: true });
  const confirm = vi.spyOn(window, 'confirm').mockReturnValue(true);
  await page.getByRole('button', { name: 'Remove Ben from the team' }).click();
  await expect.element(membersTable.getByText('Ben', { exact: true })).not.toBeInTheDocument();
  expect(confirm).toHaveBeenCalledOnce();
  await expect.element(inWords.getByText('Ben sees none, and no sign of them')).toBeVisible();
});

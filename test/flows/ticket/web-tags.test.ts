import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, useWebPages } from '../../pages/web-pages.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

test('tags are coloured, renamed, merged and deleted, and the screen says before what will happen', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  const ids: string[] = [];
  for (const tags of [['bug', 'vip'], ['bug'], ['defect']])
    ids.push((await owner.call('POST', '/tickets', { subject: `About ${tags}`, body: 'b', tags })).body.id);
  await owner.call('POST', '/saved-replies', { name: 'r', body: 'b', actions: { addTags: ['bug'] }, isShared: true });
  const tagsOf = async () => Promise.all(ids.map(async (id) => (await owner.call('GET', `/tickets/${id}`)).body.tags));

  await page.goto('/settings/tags');
  const list = page.getByRole('list', { name: 'Tags in use' });
  await list.getByText('2 open tickets · 2 in all').waitFor();
  await page.getByLabel('Colour of bug').selectOption('Red');
  await list.locator('[data-tag-colour=red]', { hasText: 'bug' }).waitFor();

  // By keyboard.
  await page.getByRole('button', { name: 'Rename bug' }).press('Enter');
  const name = page.getByLabel('New name');
  await name.fill('DEFECT');
  await page.getByText('There is a tag “defect” already.').waitFor();
  await name.fill('Fault');
  await page.getByText('There is a tag “defect” already.').waitFor({ state: 'detached' });
  await page.getByText('2 tickets get the new name').waitFor();
  await page.getByText('1 saved reply uses the new name.').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await name.press('Enter');
  await page.getByText('“bug” is now “Fault”').waitFor();
  await house.drain();
  await list.locator('[data-tag-colour=red]', { hasText: 'Fault' }).waitFor();
  expect(await tagsOf()).toEqual([['vip', 'Fault'], ['Fault'], ['defect']]);

  await page.getByRole('button', { name: 'Rename defect' }).click();
  await name.fill('fault');
  await page.getByRole('button', { name: 'Merge into Fault' }).click();
  await page.getByText('“defect” is now part of “Fault”').waitFor();
  await house.drain();
  await list.getByText('3 open tickets · 3 in all').waitFor();

  await page.getByRole('button', { name: 'Delete vip' }).click();
  await page.getByText('1 ticket loses the tag').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Delete the tag vip' }).click();
  await page.getByText('“vip” is deleted').waitFor();
  await house.drain();
  await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
  expect(await tagsOf()).toEqual([['Fault'], ['Fault'], ['Fault']]);

  // The colour shows in the list of tickets and in a ticket.
  await list.getByRole('link', { name: 'Fault' }).click();
  await page
    .getByRole('region', { name: 'Tickets', exact: true })
    .getByRole('link', { name: /About bug,vip/ })
    .click();
  await page.getByRole('main').locator('button [data-tag-colour=red]', { hasText: 'Fault' }).waitFor();
  expect(await page.locator('[data-ticket] [data-tag-colour=red]').count()).toBe(3);
  expect(complaints).toEqual([]);
});

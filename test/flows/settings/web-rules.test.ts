import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, isFocused, useWebPages } from '../../pages/web-pages.ts';
import type { Person } from '../../worlds/factories.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const workdays = [1, 2, 3, 4, 5].map((day) => ({ day, open: '09:00', close: '17:00' }));

/** Moves the clock of the service to a time of the next such day: 1 is Monday. */
function moveTo(day: number, hour: number): void {
  const now = house.clock.now();
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const days = (day - now.getUTCDay() + 7) % 7 || 7;
  house.clock.advance(midnight + days * dayMs + hour * hourMs - now.getTime());
}

/** On a Monday at 15:00 a customer asks a team that works from nine to five. */
async function waitingTeam(page: Page): Promise<Person> {
  moveTo(1, 15);
  const owner = await register(page);
  const requester = { email: 'chiara@moretti.example', name: 'Chiara Moretti' };
  await owner.call('POST', '/teams', { name: 'Support', memberIds: [owner.userId] });
  await owner.call('POST', '/calendars', { name: 'Office', timeZone: 'UTC', hours: workdays });
  await owner.call('POST', '/tickets', { subject: 'Refund', body: 'Where is it?', requester });
  return owner;
}

const start = 'A customer waits too long';
const sentence =
  'If a customer has waited 4 hours in Office and the status is Open, set priority to High and tell Support.';
const newRule = (page: Page) => page.getByRole('dialog', { name: 'New rule' });
const editorOf = (page: Page) => page.getByRole('region', { name: 'The new rule' });
const timed = (page: Page) => page.getByRole('region', { name: 'When time passes' });

async function priorityFor(owner: Person): Promise<string> {
  // Her first token has expired meanwhile.
  const headers = { authorization: `Bearer ${house.app.tokens.sign(owner)}` };
  return (await owner.call('GET', '/tickets', undefined, headers)).body[0].priority;
}

/** Four hours of work after Monday at 15:00 is Tuesday at 11:00. */
async function letTimePass(owner: Person): Promise<void> {
  await house.drain();
  house.clock.advance(6 * hourMs); // the evening
  await house.drain();
  expect(await priorityFor(owner)).toBe('normal');
  moveTo(2, 11);
  house.clock.advance(60_000);
  await house.drain();
}

test('a newcomer lets a rule tell the team of who waits too long, and sees it act', async () => {
  const { page, complaints } = await openPage({ viewport: { width: 1440, height: 900 } });
  const owner = await waitingTeam(page);
  await page.goto('/settings/rules');
  await page.getByRole('button', { name: 'New rule' }).click();
  await newRule(page)
    .getByRole('button', { name: new RegExp(`^${start}`) })
    .click();
  const editor = editorOf(page);
  await editor.getByText(sentence).waitFor();
  const preview = editor.getByRole('region', { name: 'Preview' });
  await preview.getByRole('link', { name: /Refund/ }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await editor.getByRole('button', { name: 'Save and turn on' }).click();
  await timed(page).getByRole('checkbox', { checked: true }).waitFor();

  await letTimePass(owner);
  await page.goto('/t/1');
  await page.getByText(new RegExp(`set the priority to high.*\\(by the rule “${start}”\\)`)).waitFor();
  await page.getByRole('article').getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Why is this here' }).click();
  const why = page.getByRole('dialog', { name: 'Why is this here' });
  await why.getByText('set the priority and told people').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await why.getByRole('link', { name: start }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await timed(page).getByRole('button', { name: '1 run' }).click();
  await page
    .getByRole('dialog')
    .getByRole('link', { name: /Refund/ })
    .click();
  await page.waitForURL('**/t/1');
  expect(complaints).toEqual([]);
});

test('the same by the keyboard alone', async () => {
  const { page, complaints } = await openPage({ viewport: { width: 1440, height: 900 } });
  const owner = await waitingTeam(page);
  const tabTo = async (place: ReturnType<Page['locator']>) => {
    await place.waitFor();
    for (let presses = 0; presses < 80 && !(await isFocused(place)); presses++) await page.keyboard.press('Tab');
    expect(await isFocused(place)).toBe(true);
  };
  await page.goto('/settings/rules');
  await tabTo(page.getByRole('button', { name: 'New rule' }));
  await page.keyboard.press('Enter');
  await tabTo(newRule(page).getByRole('button', { name: new RegExp(`^${start}`) }));
  await page.keyboard.press('Enter');
  await editorOf(page).getByText(sentence).waitFor();
  await tabTo(editorOf(page).getByRole('link', { name: /Refund/ }));
  await tabTo(editorOf(page).getByRole('button', { name: 'Save and turn on' }));
  await page.keyboard.press('Enter');
  await timed(page)
    .getByRole('checkbox', { name: `${start}: on`, checked: true })
    .waitFor();
  // The rule that has just begun keeps the focus.
  const more = timed(page).getByRole('button', { name: `More about “${start}”` });
  await expect.poll(() => isFocused(more)).toBe(true);

  await letTimePass(owner);
  await page.goto('/t/1');
  await page.getByText(/set the priority to high/).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.type('why is');
  await page.getByRole('option', { name: /Why is this here/ }).waitFor();
  await page.keyboard.press('Enter');
  const why = page.getByRole('dialog', { name: 'Why is this here' });
  await tabTo(why.getByRole('link', { name: start }));
  await page.keyboard.press('Escape');
  await why.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('every starting point is a rule that the service takes', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await page.goto('/settings/rules');
  const starts = newRule(page).getByRole('list').getByRole('button');
  const open = () => page.getByRole('button', { name: 'New rule' }).first().click();
  await open();
  await starts.first().waitFor();
  const count = (await starts.count()) - 1; // the last is empty
  for (let index = 0; index < count; index++) {
    await starts.nth(index).click();
    await page.getByRole('button', { name: 'Save and turn on' }).click();
    await page.getByRole('listitem').getByRole('checkbox', { checked: true }).nth(index).waitFor();
    await open();
  }
  const { body: kept } = await owner.call('GET', '/rules');
  expect(kept.map(({ isActive }: { isActive: boolean }) => isActive)).toEqual(Array(count).fill(true));
  expect(complaints).toEqual([]);
});

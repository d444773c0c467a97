import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { axeFaults } from '../../test/axe.ts';
import { askedFor } from '../../test/fake-api.ts';
import { openPage } from '../../test/page.tsx';
import { preferences, start } from '../../test/records.ts';
import { pressSequence } from '../../test/screen.ts';
import { workspaceWith } from '../../test/workspace.ts';
import type { Overview, Satisfaction } from './queries.ts';

const waited = { count: 3, tickets: 2, mean: 5_400, median: 7_800, p90: 90_000 };
const figures = {
  ...{ created: 12, firstResponse: waited, response: waited, resolution: waited },
  ...{ reopened: 1, oneTouch: 1 },
};
const overview: Overview = {
  ...{ isComplete: true, figures, backlog: 4 },
  before: { ...figures, created: 10, firstResponse: { ...waited, median: 15_000 } },
  series: [{ at: '2026-11-01T00:00:00.000Z', ...figures, backlog: 4 }],
};
const ratings = { asked: 20, answered: 8, good: 6, doubtful: 1 };
const satisfaction: Satisfaction = {
  ...{ figures: ratings, before: { ...ratings, good: 4 } },
  series: [{ at: '2026-11-01T00:00:00.000Z', ...ratings }],
  groups: [{ key: 'ada', name: 'Ada', ...ratings }],
};
const groups = [{ key: 'bike', name: 'bike', ...figures }];
const answers = () => ({
  ...workspaceWith(),
  readReportOverview: () => overview,
  readReportGroups: () => ({ isComplete: true, groups }),
  readReportSatisfaction: () => satisfaction,
  listSurveyAnswers: () => ({ items: [] }),
  readReportSettings: () => ({ calendarId: null, showsMembers: true }),
  listCalendars: () => [],
});

test('a figure says how it compares, and opens the list of its tickets', async () => {
  await openPage('/reports?span=days&first=2026-11-01&last=2026-11-30', answers());
  const card = page.getByRole('listitem').filter({ hasText: 'First reply' });
  await expect.element(card.getByRole('link', { name: 'First reply: 2 hr 10 min' })).toBeInTheDocument();
  await expect.element(card.getByText('2 hr faster')).toBeInTheDocument();
  const created = page.getByRole('link', { name: 'New tickets: 12' });
  await expect.element(created).toHaveAttribute('href', expect.stringMatching(/happened=created%2F2026-1/));
  await expect.element(page.getByRole('link', { name: 'Open and waiting: 4' })).toBeInTheDocument();
});

test('a number of a person opens the list of what they have done', async () => {
  const ofMembers = [
    { key: 'u-ada', name: 'Ada', ...figures },
    { key: null, name: null, ...figures },
  ];
  await openPage('/reports?span=days&first=2026-11-01&last=2026-11-30', {
    ...answers(),
    readReportGroups: ({ query }) => ({ isComplete: true, groups: query?.by === 'member' ? ofMembers : [] }),
  });
  const links = page.getByRole('table', { name: 'By person' }).getByRole('link');
  await expect.poll(() => links.elements().length).toBe(4);
  const [answered, closed, ofNobody] = links.elements();
  expect(answered?.getAttribute('href')).toMatch(/happened=response%2F[^&]*%2Fu-ada(&|$)/);
  expect(closed?.getAttribute('href')).toMatch(/happened=resolution%2F[^&]*%2Fu-ada(&|$)/);
  expect(ofNobody?.getAttribute('href')).toMatch(/happened=response%2F[^&]*%2Fnone(&|$)/);
});

test('how satisfied customers are, and the tickets of those who are', async () => {
  await openPage('/reports?span=days&first=2026-11-01&last=2026-11-30', answers());
  const satisfied = page.getByRole('link', { name: 'Satisfied: 75 %' });
  await expect.element(satisfied).toHaveAttribute('href', expect.stringMatching(/happened=satisfied%2F2026-1/));
  await expect.element(page.getByText('of 20 asked · 1 not counted, because it may be of a program')).toBeVisible();
  await expect.element(page.getByRole('table', { name: 'Satisfaction: By person' })).toBeVisible();
  expect(await axeFaults()).toEqual([]);
});

test('the address keeps what the report is of', async () => {
  await openPage('/reports', answers());
  await page.getByRole('button', { name: 'Time: Last 30 days' }).click();
  await page.getByRole('menuitemradio', { name: 'Last 7 days' }).click();
  await expect.element(page.getByRole('button', { name: 'Time: Last 7 days' })).toBeInTheDocument();
  expect(window.location.search).toBe('?span=7');
  await expect.poll(() => askedFor('readReportOverview').length).toBe(2);
  const [, asked] = askedFor('readReportOverview').map(({ query }) => query as { from: string; to: string });
  expect(Date.parse(asked?.to ?? '') - Date.parse(asked?.from ?? '')).toBeLessThan(7.1 * 86_400_000);
});

test('a page says that older tickets are still being counted', async () => {
  await openPage('/reports', { ...answers(), readReportOverview: () => ({ ...overview, isComplete: false }) });
  await expect.element(page.getByText('Older tickets are still being counted.', { exact: false })).toBeInTheDocument();
});

test('two keys open the reports, and the next tab stop is on the page', async () => {
  await openPage('/', answers());
  await expect.element(page.getByRole('heading', { level: 1 })).toBeVisible();
  await pressSequence('g', 'r');
  await expect.element(page.getByRole('heading', { level: 1, name: 'Reports' })).toBeVisible();
  await expect.element(page.getByRole('main')).toHaveFocus();
  await expect.element(page.getByRole('link', { name: 'New tickets: 12' })).toBeVisible();
  await userEvent.tab();
  await expect.element(page.getByRole('button', { name: 'Time: Last 30 days' })).toHaveFocus();
  expect(await axeFaults()).toEqual([]);
});

const inGerman = { ...start, preferences: { ...preferences, locale: 'de' } };

test('a German member reads the reports in German', async () => {
  await openPage('/reports', { ...answers(), readStart: () => inGerman });
  await expect.element(page.getByRole('heading', { level: 1, name: 'Auswertungen' })).toBeVisible();
  await expect.element(page.getByRole('link', { name: 'Neue Tickets: 12' })).toBeVisible();
  await expect.element(page.getByText('2 Std. schneller')).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Zeitraum: Letzte 30 Tage' })).toBeVisible();
  expect(await axeFaults()).toEqual([]);
});

test('on a phone the title is one line, cards stand in full rows, and no closed menu shows', async () => {
  await openPage('/reports', { ...answers(), readStart: () => inGerman });
  const title = page.getByRole('heading', { level: 1, name: 'Auswertungen' });
  await expect.element(page.getByRole('link', { name: 'Neue Tickets: 12' })).toBeVisible();
  const rowsOfCards = () => {
    const tops = [...document.querySelectorAll('ul[aria-label] > li:has(h2)')].map(
      (card) => card.getBoundingClientRect().top,
    );
    return [...new Set(tops)].map((top) => tops.filter((one) => one === top).length);
  };
  for (const [width, rows] of [
    [1280, [6]],
    [768, [3, 3]],
    [390, [2, 2, 2]],
  ] as const) {
    await page.viewport(width, 844);
    await expect.poll(rowsOfCards).toEqual(rows);
    expect(title.element().getBoundingClientRect().height).toBeLessThan(40);
  }
  const menus = [...document.querySelectorAll('[popover]')].filter((menu) => getComputedStyle(menu).display !== 'none');
  expect(menus).toEqual([]);
});

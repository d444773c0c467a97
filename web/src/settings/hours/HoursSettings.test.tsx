import { expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { axeFaults } from '../../../test/axe.ts';
import { type AnswerOf, type Answers, askedFor, Refusal } from '../../../test/fake-api.ts';
import { openPage } from '../../../test/page.tsx';
import { idOf, me, start, time } from '../../../test/records.ts';
import { headingOf } from '../../../test/screen.ts';
import { workspaceWith } from '../../../test/workspace.ts';

type Calendar = AnswerOf<'readCalendar'>;

const office: Calendar = {
  id: idOf('office'),
  name: 'Office',
  timeZone: 'Europe/Berlin',
  hours: [1, 2, 3, 4, 5].map((day) => ({ day, open: '09:00', close: '17:00' })),
  days: [{ date: '2027-12-25', name: 'Christmas', hours: null }],
  isOpen: false,
  changesAt: '2099-11-30T08:00:00.000Z',
  version: 3,
  createdAt: time,
  updatedAt: time,
};
const holidays = [
  { date: '2027-01-01', name: 'New Year' },
  { date: '2027-03-26', name: 'Good Friday' },
  { date: '2027-12-25', name: 'Christmas Day' },
];

const service: Answers = {
  ...workspaceWith(),
  listCalendars: () => [office],
  readCalendar: () => office,
  createCalendar: ({ body }) => ({ ...office, ...body, days: body.days ?? [] }),
  updateCalendar: ({ body }) => ({ ...office, ...body, version: 4 }),
  deleteCalendar: () => undefined,
  listHolidayCountries: () => [
    { country: 'DE', name: 'Germany', regions: [{ region: 'BY', name: 'Bavaria' }] },
    { country: 'AT', name: 'Austria', regions: [] },
  ],
  listHolidays: () => holidays,
};

const address = `/settings/hours?calendar=${office.id}`;
const dayOf = (name: string) => page.getByRole('group', { name, exact: true });
const save = page.getByRole('button', { name: 'Save' });
const sent = () => askedFor('updateCalendar').at(-1)?.body;

test('a list says in one line when each is open, and a manager makes another', async () => {
  await openPage('/settings/hours', service);
  await expect.element(page.getByText('Mon–Fri 09:00–17:00 · Europe/Berlin')).toBeVisible();
  await expect.element(page.getByText(/^Closed, opens /)).toBeVisible();
  expect(await axeFaults()).toEqual([]);
  await page.getByRole('link', { name: 'New business hours' }).click();
  await page.getByRole('button', { name: 'Create business hours' }).click();
  await expect.element(page.getByText(/need a name/)).toBeVisible();
  await page.getByLabelText('Name', { exact: true }).fill('Night shift');
  await page.getByLabelText('Time zone').fill('new york');
  await page.getByRole('button', { name: 'Remove Monday 09:00–17:00' }).click();
  await page.getByRole('button', { name: 'Create business hours' }).click();
  await expect.element(page.getByText('“Night shift” is saved.')).toBeVisible();
  expect(askedFor('createCalendar')[0]?.body).toEqual({
    name: 'Night shift',
    timeZone: 'America/New_York',
    hours: office.hours.filter(({ day }) => day > 1),
    days: [],
  });
});

test('who may not change hours reads when they are', async () => {
  const asAgent = { workspaces: me.workspaces.map((workspace) => ({ ...workspace, role: 'agent' as const })) };
  await openPage('/settings/hours', {
    ...service,
    readMe: () => ({ ...me, ...asAgent }),
    readStart: () => ({ ...start, ...asAgent }),
  });
  await expect.element(page.getByText('Office', { exact: true })).toBeVisible();
  await expect.element(page.getByRole('link', { name: 'Office' })).not.toBeInTheDocument();
  await expect.element(page.getByRole('link', { name: 'New business hours' })).not.toBeInTheDocument();
});

test('the times of a day are typed, drawn and taken over, until midnight too', async () => {
  await openPage(address, service);
  const monday = dayOf('Monday');
  await monday.getByLabelText('Monday until').fill('12:00');
  await monday.getByRole('button', { name: 'Add hours: Monday' }).click();
  await expect.element(monday.getByLabelText('Monday from').nth(1)).toHaveValue('13:00');
  await monday.getByLabelText('Monday until').nth(1).fill('00:00');
  await page.getByRole('button', { name: 'Tue to Fri like Monday' }).click();
  await drawOn(dayOf('Sunday').element().children[1] as HTMLElement, 10 / 24, 14 / 24);
  await save.click();
  await expect.poll(sent).toMatchObject({
    hours: [
      ...[1, 2, 3, 4, 5].flatMap((day) => [
        { day, open: '09:00', close: '12:00' },
        { day, open: '13:00', close: '24:00' },
      ]),
      { day: 7, open: '10:00', close: '14:00' },
    ],
  });
});

/** Draws from one share of an element's width to another with the mouse. */
async function drawOn(bar: HTMLElement, from: number, to: number): Promise<void> {
  const { left, top, width, height } = bar.getBoundingClientRect();
  const event = (type: string, share: number) =>
    bar.dispatchEvent(
      new PointerEvent(type, {
        ...{ bubbles: true, pointerType: 'mouse', pointerId: 1, button: 0 },
        ...{ clientX: left + share * width, clientY: top + height / 2 },
      }),
    );
  vi.spyOn(bar, 'setPointerCapture').mockReturnValue();
  event('pointerdown', from);
  await expect.poll(() => bar.children.length).toBeGreaterThan(0);
  event('pointermove', to);
  await expect.poll(() => (bar.lastElementChild as HTMLElement).offsetWidth).toBeGreaterThan(1);
  event('pointerup', to);
}

test('times that cannot be are marked and not sent', async () => {
  await openPage(address, service);
  await dayOf('Tuesday').getByLabelText('Tuesday until').fill('08:00');
  await expect.element(page.getByText('Hours must end after they begin.')).toBeVisible();
  await save.click();
  await expect.element(page.getByText(/Some times or dates do not fit/)).toBeVisible();
  await expect.element(dayOf('Tuesday').getByLabelText('Tuesday from')).toHaveFocus();
  expect(askedFor('updateCalendar')).toEqual([]);
  await dayOf('Tuesday').getByLabelText('Tuesday until').fill('10:00');
  await page.getByLabelText('Time zone').fill('Mars');
  await save.click();
  await expect.element(page.getByText(/Choose a time zone/)).toBeVisible();
  await expect.element(page.getByLabelText('Time zone')).toHaveFocus();
});

test('special days get hours of their own, and holidays come from proposals that a person ticks', async () => {
  await openPage(address, service);
  await page.getByRole('button', { name: 'Add a day' }).click();
  await page.getByLabelText('Date').nth(1).fill('2027-12-24');
  await page.getByLabelText('Name of the day').nth(1).fill('Eve');
  await page.getByRole('combobox', { name: 'Hours: Eve' }).selectOptions('Own hours');
  await page.getByLabelText('Eve until').fill('12:00');
  await page.getByRole('button', { name: 'Public holidays' }).click();
  const dialog = page.getByRole('dialog', { name: 'Public holidays' });
  await dialog.getByLabelText('Country').selectOptions('Germany');
  await dialog.getByLabelText('Region').selectOptions('Bavaria');
  await expect.poll(() => askedFor('listHolidays').at(-1)?.query).toMatchObject({ country: 'DE', region: 'BY' });
  await dialog.getByRole('checkbox', { name: /New Year/ }).click();
  await expect.element(dialog.getByRole('checkbox', { name: /Christmas Day/ })).not.toBeInTheDocument();
  expect(await axeFaults()).toEqual([]);
  await dialog.getByRole('button', { name: 'Add 1 day' }).click();
  await expect.element(dialog).not.toBeInTheDocument();
  await save.click();
  await expect.poll(sent).toMatchObject({
    days: [
      { date: '2027-01-01', name: 'New Year', hours: null },
      { date: '2027-12-24', name: 'Eve', hours: [{ open: '09:00', close: '12:00' }] },
      { date: '2027-12-25', name: 'Christmas', hours: null },
    ],
  });
});

test('a date that is there twice is marked', async () => {
  await openPage(address, service);
  await page.getByRole('button', { name: 'Add a day' }).click();
  await page.getByLabelText('Date').nth(1).fill('2027-12-25');
  await expect.element(page.getByText('This date is in the list twice.').first()).toBeVisible();
  await page.getByRole('button', { name: 'Remove 2027-12-25' }).click();
  await expect.element(page.getByText('This date is in the list twice.')).not.toBeInTheDocument();
  expect(await axeFaults()).toEqual([]);
});

test('a change over a newer version is refused, and the newer one is a click away', async () => {
  let version = 3;
  await openPage(address, {
    ...service,
    readCalendar: () => ({ ...office, version, name: version === 3 ? 'Office' : 'Bureau' }),
    updateCalendar: () => {
      version = 4;
      throw new Refusal(412, 'calendar.version_mismatch');
    },
  });
  await page.getByLabelText('Name', { exact: true }).fill('Mine');
  await userEvent.keyboard('{Enter}');
  await page.getByRole('button', { name: /^Show the newer version/ }).click();
  await expect.element(headingOf('Bureau')).toBeVisible();
  await expect.element(page.getByLabelText('Name', { exact: true })).toHaveValue('Bureau');
});

test('deleting asks first', async () => {
  await openPage(address, service);
  const confirm = vi.spyOn(window, 'confirm').mockReturnValue(true);
  await page.getByRole('button', { name: 'Delete the business hours' }).click();
  await expect.element(page.getByText('“Office” is deleted.')).toBeVisible();
  expect(confirm).toHaveBeenCalledOnce();
});

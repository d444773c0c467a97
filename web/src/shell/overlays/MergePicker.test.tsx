import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { axeFaults } from '../../../test/axe.ts';
import { askedFor, hold } from '../../../test/fake-api.ts';
import { openPage } from '../../../test/page.tsx';
import { rowOf as listed, ticketOf, time } from '../../../test/records.ts';
import { headingOf } from '../../../test/screen.ts';
import { workspaceWith } from '../../../test/workspace.ts';

const { keyboard } = userEvent;
const dialog = page.getByRole('dialog', { name: /^Merge with another ticket/ });
const field = dialog.getByRole('combobox');
const offered = () =>
  dialog
    .getByRole('option')
    .elements()
    .map(({ textContent }) => textContent);

const carla = { contactId: 'carla', email: 'carla@shop.example', name: 'Carla' };
const namesake = { contactId: 'other', email: 'carla@elsewhere.example', name: 'Carla' };
const tickets = [
  ticketOf({ subject: 'Brakes' }),
  ticketOf({ ticketNumber: 2, subject: 'Saddle', requester: carla, status: 'closed' }),
  ticketOf({ ticketNumber: 3, subject: 'Saddle again', requester: namesake }),
  ticketOf({ ticketNumber: 4, subject: 'You have won', spamAt: time, spamReason: 'marked' }),
];
const far = ticketOf({ ticketNumber: 70, subject: 'Fork', requester: carla });

test('the picker says what is merged, and finds by number, words and address', async () => {
  const service = workspaceWith(...tickets, far);
  await openPage('/t/1', {
    ...service,
    listTickets: (asked) => {
      const { search } = asked.query;
      if (search === undefined) return tickets.map(listed);
      return [...tickets, far]
        .filter(({ ticketNumber, requester }) => `#${ticketNumber} ${requester?.email}`.includes(search))
        .map(listed);
    },
  });
  await expect.element(headingOf('Brakes')).toBeVisible();
  await keyboard('m');
  await expect.element(dialog.getByText('Merge #1 Brakes with:')).toBeVisible();
  await expect
    .poll(offered)
    .toEqual([
      expect.stringMatching(/#2 SaddleCarla · carla@shop\.example · Closed$/),
      expect.stringMatching(/#3 Saddle againCarla · carla@elsewhere\.example · Open$/),
    ]);
  expect(await axeFaults()).toEqual([]);
  await field.fill('carla@elsewhere');
  await expect.poll(offered).toEqual([expect.stringContaining('#3 Saddle again')]);
  await field.fill('#70');
  await expect.poll(offered).toEqual([expect.stringContaining('#70 Fork')]);
  const answer = hold('listTickets');
  await field.fill('gearbox');
  await expect.element(dialog.getByText('Loading…')).toBeVisible();
  answer();
  await expect.element(dialog.getByText(/^Nothing found\. Search by number/)).toBeVisible();
  expect(askedFor('listTickets').at(-1)?.query).toMatchObject({ search: 'gearbox' });
});

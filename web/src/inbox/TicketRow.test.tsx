import type { ComponentProps } from 'react';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { show } from '../../test/page.tsx';
import { idOf, rowOf, ticketOf } from '../../test/records.ts';
import { workspaceWith } from '../../test/workspace.ts';
import { TicketRow } from './TicketRow.tsx';

const nothing = () => undefined;
const actions = {
  ...{ onToggle: nothing, onSelectTo: nothing, onEnterTicket: nothing, onFocus: nothing, onHover: nothing },
  isSelectable: true,
};

const ticket = ticketOf({ mailboxId: idOf('mailbox') });

type Shown = Pick<ComponentProps<typeof TicketRow>, 'mailbox' | 'isCompact'> & { fields?: Partial<typeof ticket> };

function showRow({ fields, ...row }: Shown): Promise<void> {
  const at = { index: 0, size: 1, search: '', isOpen: false, isSelected: false, isTabStop: true, onlyTeam: undefined };
  return show(
    <div role="list" data-density={row.isCompact ? 'compact' : 'comfortable'} style={{ width: 340 }}>
      <TicketRow ticket={rowOf({ ...ticket, ...fields })} assignee={undefined} actions={actions} {...at} {...row} />
    </div>,
    workspaceWith(ticket),
  );
}

const name = 'support@desk-shop.example';

test.each([
  [name, 'SU'],
  ['sales@desk-shop.example', 'SA'],
  ['Spare parts', 'SP'],
])('a compact row names the mailbox %s of a mixed list by two letters', async (name, letters) => {
  await showRow({ mailbox: name, isCompact: true });
  const mark = page.getByTitle(`Mailbox: ${name}`);
  await expect.element(mark).toBeVisible();
  expect(getComputedStyle(mark.element(), '::before').content).toBe(`"${letters}"`);
  expect(mark.element().getBoundingClientRect().width).toBeLessThan(28);
  await expect.element(page.getByRole('link', { name: new RegExp(`Mailbox: ${name}`) })).toBeVisible();
});

test('a comfortable row has the whole name', async () => {
  await showRow({ mailbox: name, isCompact: false });
  await expect.element(page.getByText(name)).toBeVisible();
});

test('a row without a mailbox to name has no mark', async () => {
  await showRow({ mailbox: undefined, isCompact: true });
  await expect.element(page.getByRole('listitem')).toBeVisible();
  expect(page.getByTitle(/^Mailbox/).query()).toBeNull();
});

test.each([true, false])(
  'a draft is a mark of the ticket, apart from the words of others (compact: %s)',
  async (isCompact) => {
    await showRow({ mailbox: undefined, isCompact, fields: { hasDraft: true } });
    const mark = page.getByText('Draft', { exact: true });
    await expect.element(mark).toBeVisible();
    const words = page.getByText(/It hums/);
    await expect.element(words).toBeVisible();
    expect(words.element().contains(mark.element())).toBe(false);
  },
);

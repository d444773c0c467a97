import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { askedFor, Refusal } from '../../../test/fake-api.ts';
import { openPage } from '../../../test/page.tsx';
import { mailboxOf, start } from '../../../test/records.ts';
import { workspaceWith } from '../../../test/workspace.ts';

test('an IMAP mailbox gets addresses from which it sends, and the page says which its server refuses', async () => {
  const address = 'help@office.example';
  let mailbox = mailboxOf({ provider: 'imap', address });
  const path = 'body.sendAs[boss@office.example]';
  const issue = { path, key: 'from_refused', message: 'is refused', params: { said: '553 No' } };
  await openPage(`/settings/mailboxes/${mailbox.id}`, {
    ...workspaceWith(),
    readStart: () => ({ ...start, mailboxes: [mailbox] }),
    listMailboxes: () => [mailbox],
    updateMailbox: ({ body: { sendAs = mailbox.sendAs } }) => {
      if (sendAs.includes('boss@office.example')) throw new Refusal(400, 'request.invalid', { issues: [issue] });
      mailbox = { ...mailbox, sendAs, senders: [address, ...sendAs] };
      return mailbox;
    },
  });
  const field = page.getByLabelText(/^Other addresses from which it sends/);
  const save = page.getByRole('button', { name: 'Save' });
  await field.fill('boss@office.example');
  await save.click();
  await expect.element(page.getByRole('alert').getByText(/boss@office\.example is refused/)).toBeVisible();
  await field.fill('sales@office.example, info@office.example');
  await save.click();
  await expect.element(page.getByText('Saved')).toBeVisible();
  await page.getByLabelText('Name', { exact: true }).fill('Desk');
  await save.click();
  await expect
    .poll(() => askedFor('updateMailbox').map(({ body }) => body.sendAs))
    .toEqual([...[['boss@office.example'], ['sales@office.example', 'info@office.example'], undefined]]);
});

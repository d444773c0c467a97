import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { axeFaults } from '../../../test/axe.ts';
import { Refusal } from '../../../test/fake-api.ts';
import { openPage } from '../../../test/page.tsx';
import { preferences, start } from '../../../test/records.ts';
import { workspaceWith } from '../../../test/workspace.ts';

const sentence = 'The IMAP server refuses the user name or the password: connect the mailbox with the right ones.';
const labels = {
  en: { open: 'Any other mailbox (IMAP)', address: 'Address of the mailbox', password: 'Password of the mailbox' },
  de: { open: 'Jedes andere Postfach (IMAP)', address: 'Adresse des Postfachs', password: 'Passwort des Postfachs' },
};

test.each([
  ['en', /^The IMAP server refuses the user name or the password\. Correct them and try again\. Many providers want/],
  ['de', /^Der IMAP-Server lehnt den Benutzernamen oder das Passwort ab\. Berichtigen Sie beides und versuchen/],
] as const)('in %s, a refused password says what helps, and nothing of a consent', async (locale, said) => {
  const { open, address, password } = labels[locale];
  await openPage('/settings/mailboxes', {
    ...workspaceWith(),
    readPreferences: () => ({ ...preferences, locale }),
    readStart: () => ({ ...start, preferences: { ...preferences, locale }, mailboxes: [] }),
    listMailboxes: () => [],
    discoverMailboxServers: () => ({ provider: 'imap', candidates: [] }),
    connectMailbox: () => {
      throw new Refusal(400, 'mailbox.not_authorized', { code: 'imap_login', reason: sentence });
    },
  });
  await page.getByText(open).click();
  await page.getByLabelText(address).fill('help@office.example');
  for (const host of page.getByLabelText('Server', { exact: true }).all()) await host.fill('mail.office.example');
  await page.getByLabelText(password).fill('wrong');
  await page.getByLabelText(password).element().closest('form')?.requestSubmit();
  await expect.element(page.getByRole('alert').filter({ hasText: said })).toBeVisible();
  expect(document.body.textContent).not.toMatch(/consent or|Zustimmung oder/);
  expect(await axeFaults()).toEqual([]);
});

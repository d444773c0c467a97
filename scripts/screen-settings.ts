import { type Screen, withGerman } from './screen.ts';

/** The pages of the settings. */
export const settingsScreens: readonly Screen[] = [
  { name: 'settings-profile', address: '/settings/profile' },
  { name: 'settings-look', address: '/settings/look', looks: withGerman },
  {
    name: 'settings-shortcuts',
    address: '/settings/shortcuts',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Change the shortcut for “New ticket”' }).click();
      await page.keyboard.press('r');
      await page.getByText(/would no longer run/).waitFor();
    },
  },
  { name: 'settings-security', address: '/settings/security', looks: withGerman },
  { name: 'settings-notifications', address: '/settings/notifications', looks: withGerman },
  { name: 'settings-members', address: '/settings/members', looks: withGerman },
  { name: 'settings-replies', address: '/settings/replies?reply=new' },
  { name: 'settings-surveys', address: '/settings/surveys?survey=new' },
  { name: 'settings-auto-replies', address: '/settings/auto-replies?reply=new' },
  {
    name: 'settings-tags',
    address: '/settings/tags',
    isForOwner: true,
    prepare: async (page) => {
      const list = page.getByRole('list', { name: 'Tags in use' });
      const colours = ['blue', 'orange', 'green', 'red', 'purple', 'teal', 'yellow', 'pink'];
      await list.getByRole('combobox').first().waitFor();
      // The light look has chosen them.
      if ((await list.locator('[data-tag-colour]').count()) === 0)
        for (const [at, colour] of colours.entries()) await list.getByRole('combobox').nth(at).selectOption(colour);
      await list
        .getByRole('button', { name: /^Rename/ })
        .first()
        .click();
      await page.getByText('Tickets in the trash').waitFor();
      await list.locator('[data-tag-colour=red]').waitFor();
    },
  },
  { name: 'settings-teams', address: '/settings/teams', isForOwner: true },
  {
    name: 'settings-team',
    address: '/settings/teams',
    isForOwner: true,
    looks: withGerman,
    prepare: async (page) => {
      await page.getByRole('link', { name: 'Billing' }).click();
      await page.getByRole('table').waitFor();
    },
  },
  { name: 'settings-rules', address: '/settings/rules', isForOwner: true, looks: withGerman },
  { name: 'settings-hours', address: '/settings/hours', isForOwner: true },
  { name: 'settings-workspace', address: '/settings/workspace', isForOwner: true, looks: withGerman },
  { name: 'settings-blocked', address: '/settings/blocked', isForOwner: true },
  { name: 'settings-bulk', address: '/settings/bulk', isForOwner: true },
  { name: 'settings-quarantine', address: '/settings/quarantine', isForOwner: true, looks: ['light', 'phone'] },
  { name: 'settings-import', address: '/settings/import', isForOwner: true },
  { name: 'settings-keys', address: '/settings/keys', isForOwner: true },
  { name: 'settings-webhooks', address: '/settings/webhooks', isForOwner: true },
  {
    name: 'webhook',
    address: '/settings/webhooks',
    isForOwner: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'New webhook' }).click();
      const events = page.getByRole('group', { name: /events/i });
      await page.getByLabel('Address').first().fill('https://hooks.example/kontor');
      if ((await events.getByRole('checkbox').count()) > 0) await events.getByRole('checkbox').first().check();
    },
  },
  { name: 'settings-audit', address: '/settings/audit', isForOwner: true },
  { name: 'settings-mailboxes', address: '/settings/mailboxes', isForOwner: true, looks: withGerman },
  {
    name: 'mailbox-connect',
    address: '/settings/mailboxes',
    isForOwner: true,
    prepare: async (page) => {
      await page.getByText('Any other mailbox (IMAP)').click();
      const address = page.getByLabel('Address of the mailbox');
      await address.fill('help@gmx.net');
      await address.press('Tab');
      await page.getByLabel('Password of the mailbox').fill('a wrong password');
      await page.getByRole('group', { name: 'Outgoing (SMTP)' }).waitFor();
    },
  },
  {
    name: 'mailbox',
    address: '/settings/mailboxes',
    isForOwner: true,
    prepare: async (page) => {
      await page.getByRole('region', { name: 'Connected mailboxes' }).getByRole('link').first().click();
      await page.getByRole('button', { name: 'Test connection' }).click();
      await page.getByRole('listitem').filter({ hasText: 'Public address' }).waitFor();
    },
  },
];

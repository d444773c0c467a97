import { Secret, TOTP } from 'otpauth';
import type { Locator, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { openGmailEmulator } from '../../../emulators/gmail.ts';
import { openGraphEmulator } from '../../../emulators/graph.ts';
import { useHouse } from '../../harness/harness.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freePort } from '../../harness/service-process.ts';
import { axeFaults, isFocused, password, pressSequence, useWebPages } from '../../pages/web-pages.ts';

const [gmail, graph, port] = await Promise.all([openGmailEmulator(), openGraphEmulator(), freePort()]);
afterAll(() => Promise.all([gmail.close(), graph.close()]));
const house = useHouse({
  ...gmail.settings,
  ...graph.settings,
  MAIL_A_WEBHOOK_SECRET: 'notifications of the emulator',
  MAIL_B_TOPIC: 'projects/kontor/topics/mail',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
});
const receiver = useReceiver();
const { openPage, register } = useWebPages(house);

/** Far more than any page here has. */
const tabsMax = 150;

/** Moves the focus with the Tab key alone. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; tabs < tabsMax; tabs += 1) {
    if (await isFocused(target)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${target}`);
}

/** How a person reaches things on the screen. */
type Way = {
  enter(page: Page, target: Locator): Promise<void>;
  typeInto(page: Page, target: Locator, text: string): Promise<void>;
  /** Sends the form in whose field the focus is. */
  send(page: Page, button: Locator): Promise<void>;
};
const keyboard: Way = {
  enter: async (page, target) => {
    await tabTo(page, target);
    await page.keyboard.press('Enter');
  },
  typeInto: async (page, target, text) => {
    await tabTo(page, target);
    await page.keyboard.type(text);
  },
  send: (page) => page.keyboard.press('Enter'),
};
const pointer: Way = {
  enter: (_page, target) => target.click(),
  typeInto: async (page, target, text) => {
    await target.click();
    await page.keyboard.type(text);
  },
  send: (_page, button) => button.click(),
};

test.each([
  ['keyboard', keyboard],
  ['pointer', pointer],
])("the administrator's hour, by %s alone", { timeout: 360_000 }, async (name, { enter, typeInto, send }) => {
  const { page, complaints } = await openPage();
  await register(page);
  receiver.received.length = 0;
  const open = async (section: string) => {
    await enter(page, page.getByRole('link', { name: section, exact: true }));
    await page.getByRole('heading', { level: 1, name: section }).waitFor();
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  /** Both ways lead over the same screens. */
  const seeNoFaults = async () => {
    if (name === 'pointer') expect(await axeFaults(page)).toEqual([]);
  };
  if (name === 'keyboard') await pressSequence(page, 'g', ',');
  else await page.getByRole('link', { name: 'Settings' }).click();

  await open('Members');
  await enter(page, button('Invite people'));
  await typeInto(page, page.getByLabel('Email address'), 'ben@example.org');
  await send(page, button('Create invitation link'));
  await page.getByText(/Give this link to ben@example.org yourself/).waitFor();
  await seeNoFaults();
  await enter(page, button('Close'));
  await page
    .getByRole('listitem')
    .filter({ hasText: 'ben@example.org' })
    .getByText(/^Agent · /)
    .waitFor();
  await seeNoFaults();

  await open('Mailboxes');
  for (const [provider, emulator] of [
    ['Microsoft 365', graph],
    ['Gmail', gmail],
  ] as const) {
    const address = `${name}@${provider === 'Gmail' ? 'shop' : 'office'}.example`;
    emulator.addMailbox({ address });
    const form = page.getByRole('group').filter({ has: page.getByText(provider, { exact: true }) });
    if (!(await form.getByLabel('Address of the account').isVisible())) await enter(page, form.locator('summary'));
    await typeInto(page, form.getByLabel('Address of the account'), address);
    await send(page, button(`Connect ${provider}`));
    await page.getByText('The mailbox is connected.').waitFor();
    await open('Mailboxes');
    await page.getByRole('region', { name: 'Connected mailboxes' }).getByRole('link', { name: address }).waitFor();
  }
  await seeNoFaults();

  await open('Webhooks');
  await enter(page, button('New webhook'));
  await typeInto(page, page.getByLabel('Address of your server'), `${receiver.url}/kontor`);
  await typeInto(page, page.getByLabel('Description'), 'Warehouse');
  await send(page, button('Create webhook'));
  await page.getByRole('region', { name: 'The webhook is ready' }).waitFor();
  expect(await page.getByLabel('Signing secret', { exact: true }).inputValue()).toMatch(/^whsec_/);
  await seeNoFaults();
  await enter(page, button('I have saved it'));
  await enter(page, button('Send test event'));
  const log = page.getByRole('list', { name: 'Deliveries' });
  await log.getByText('webhook.test').waitFor();
  await house.drain();
  await log.getByText('Arrived').waitFor();
  expect(receiver.received.map(({ path }) => path)).toEqual(['/kontor']);
  await seeNoFaults();
  await enter(page, button(/^Send again/));
  await log.getByText('Waiting').waitFor();
  await house.drain();
  await expect.poll(() => receiver.received.length).toBe(2);
  await enter(page, page.getByRole('link', { name: 'All webhooks' }));
  const webhooks = page.getByRole('region', { name: 'Webhooks', exact: true }).locator('[tabindex="-1"]');
  await expect.poll(() => isFocused(webhooks)).toBe(true);

  await open('API keys');
  await enter(page, button('New API key'));
  await typeInto(page, page.getByLabel(/^Name/), 'Shop import');
  await send(page, button('Create key'));
  expect(await page.getByLabel('Secret of the key', { exact: true }).inputValue()).toMatch(/^kontor_/);
  expect(await page.getByLabel(/^Workspace ID/).inputValue()).toMatch(/^[0-9a-f-]{36}$/);
  await enter(page, button('I have saved it'));
  expect(await isFocused(button('New API key'))).toBe(true);
  await page.getByText(/^Shop import/).waitFor();
  await seeNoFaults();
  page.once('dialog', (dialog) => void dialog.accept());
  await enter(page, button('Revoke Shop import'));
  await page.getByText('No keys yet.').waitFor();
  const keys = page.getByRole('region', { name: 'Active keys' });
  expect(await isFocused(keys.locator('[tabindex="-1"]'))).toBe(true);

  await open('Security');
  const factor = page.getByRole('region', { name: 'Two-factor authentication' });
  await typeInto(page, factor.getByLabel('Current password'), password);
  await send(page, factor.getByRole('button', { name: 'Set up' }));
  const secret = (await factor.locator('code').textContent()) ?? '';
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: house.clock.now().getTime() });
  await typeInto(page, factor.getByLabel('The code that the app shows now'), code);
  await send(page, factor.getByRole('button', { name: 'Confirm' }));
  await enter(page, factor.getByRole('button', { name: 'I have saved them' }));
  await factor.getByText(/^On since/).waitFor();

  await open('Audit log');
  const entries = page.getByRole('list', { name: 'What happened' });
  await entries.getByText(/ revoked the API key Shop import/).waitFor();
  await entries.getByText(/ invited ben@example\.org as Agent/).waitFor();
  await seeNoFaults();
  await entries.getByText(/ turned on two-factor authentication/).waitFor();
  await entries
    .getByText(/ connected the mailbox /)
    .first()
    .waitFor();
  if (name === 'pointer') await page.getByLabel('About').selectOption('webhooks');
  else {
    await tabTo(page, page.getByLabel('About'));
    await page.keyboard.type('Web');
  }
  await entries.getByText(/ invited /).waitFor({ state: 'detached' });
  await entries.getByText(/ created the webhook to /).waitFor();
  expect(complaints).toEqual([]);
});

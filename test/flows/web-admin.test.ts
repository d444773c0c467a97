import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../harness.ts';
import { useReceiver } from '../receiver.ts';
import { axeFaults, isFocused, pressSequence, useWebPages } from '../web-pages.ts';

const house = useHouse({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
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

async function enter(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

async function typeInto(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.type(text);
}

test("the administrator's hour, by keyboard alone", async () => {
  const { page, complaints } = await openPage();
  await register(page);
  const open = async (section: string) => {
    await enter(page, page.getByRole('link', { name: section, exact: true }));
    await page.getByRole('heading', { level: 1, name: section }).waitFor();
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  await pressSequence(page, 'g', ',');

  await open('Members');
  await typeInto(page, page.getByLabel('E-mail address'), 'ben@example.org');
  await page.keyboard.press('Enter');
  await page.getByText('An invitation is on its way to ben@example.org.').waitFor();
  await page.getByText(/^ben@example\.org · Agent/).waitFor();
  expect(await axeFaults(page)).toEqual([]);

  await open('Webhooks');
  await typeInto(page, page.getByLabel('Address of your server'), `${receiver.url}/kontor`);
  await typeInto(page, page.getByLabel('Description'), 'Warehouse');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'The webhook is ready' }).waitFor();
  expect(await page.getByLabel('Signing secret', { exact: true }).inputValue()).toMatch(/^whsec_/);
  expect(await axeFaults(page)).toEqual([]);
  await enter(page, button('I have kept it'));
  await enter(page, button('Send a test event'));
  const log = page.getByRole('list', { name: 'Deliveries' });
  await log.getByText('webhook.test').waitFor();
  await house.drain();
  await log.getByText('Arrived').waitFor();
  expect(receiver.received.map(({ path }) => path)).toEqual(['/kontor']);
  expect(await axeFaults(page)).toEqual([]);
  await enter(page, button(/^Send again/));
  await log.getByText('Waiting').waitFor();
  await house.drain();
  await expect.poll(() => receiver.received.length).toBe(2);

  await open('API keys');
  await typeInto(page, page.getByLabel(/^Name/), 'Shop import');
  await page.keyboard.press('Enter');
  expect(await page.getByLabel('Secret of the key', { exact: true }).inputValue()).toMatch(/^kontor_/);
  await enter(page, button('I have kept it'));
  await page.getByText(/^Shop import/).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  page.once('dialog', (dialog) => void dialog.accept());
  await enter(page, button('Revoke Shop import'));
  await page.getByText('No keys yet.').waitFor();

  await open('Audit log');
  const entries = page.getByRole('list', { name: 'What happened' });
  await entries.getByText(/ revoked the API key Shop import/).waitFor();
  await entries.getByText(/ invited ben@example\.org as Agent/).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await tabTo(page, page.getByLabel('About'));
  await page.keyboard.type('Web');
  await entries.getByText(/ invited /).waitFor({ state: 'detached' });
  await entries.getByText(/ created the webhook to /).waitFor();
  expect(complaints).toEqual([]);
});

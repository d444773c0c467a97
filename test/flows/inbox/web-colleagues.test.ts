import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, password, signIn, useWebPages } from '../../pages/web-pages.ts';
import { startWriting } from '../../pages/writing-pages.ts';
import { givePassword, makeMember, type Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

async function arrive(person: Person): Promise<Page> {
  const { page } = await openPage();
  await signIn(page, person);
  await page.goto('/');
  await page.getByRole('region', { name: 'Tickets', exact: true }).waitFor();
  return page;
}

/** Sends the events of a browser when another tab covers this tab, or uncovers it. */
function setHidden(page: Page, isHidden: boolean): Promise<unknown> {
  return page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
    document.dispatchEvent(new Event('visibilitychange'));`);
}

test('colleagues on one ticket see each other arrive, write and leave', async () => {
  const { page: ada, complaints } = await openPage();
  const { workspaceId } = await register(ada);
  await ingest(house, { workspaceId } as Person, [mailOf({ headers: { Subject: 'The printer hums' } })]);
  const bob = await arrive(
    await givePassword(house, await makeMember(house, workspaceId, 'agent', 'Bob Low'), password),
  );
  await ada.reload();
  const row = (page: Page) => page.getByRole('link', { name: /The printer hums/ });
  const here = ada.getByRole('group', { name: 'Teammates viewing this ticket' });
  const composer = ada.getByRole('region', { name: 'Reply', exact: true });
  await row(ada).click();
  await row(bob).click();

  await here.getByText('Bob Low is viewing').waitFor();
  await row(ada).getByText('Bob Low is viewing').waitFor();
  await bob.getByRole('group', { name: 'Teammates viewing this ticket' }).getByText('Ada is viewing').waitFor();
  expect(await here.getByText(/Ada/).count()).toBe(0);

  await startWriting(bob);
  await composer.getByRole('status').getByText('Bob Low is replying').waitFor();
  await here.getByText('Bob Low is replying').waitFor();
  await bob.getByRole('button', { name: 'Internal note', exact: true }).click();
  await composer.getByRole('status').getByText('Bob Low is writing an internal note').waitFor();
  expect(await axeFaults(ada)).toEqual([]);

  await setHidden(bob, true);
  await here.waitFor({ state: 'detached' });
  await setHidden(bob, false);
  await here.getByText('Bob Low is writing an internal note').waitFor();
  await bob.close();
  await here.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

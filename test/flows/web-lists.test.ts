import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import type { Person } from '../factories.ts';
import { useHouse } from '../harness.ts';
import { ingest, mailOf } from '../mails.ts';
import { putMailbox } from '../put-mailbox.ts';
import { chooseIn, searchOf, steady, useWebPages } from '../web-pages.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

type Workspace = Pick<Person, 'workspaceId'>;

async function writeIn(to: Workspace, ...subjects: string[]): Promise<void> {
  for (const Subject of subjects) await ingest(house, to as Person, [mailOf({ headers: { Subject } })]);
}

const rowOf = (page: Page, subject: string) =>
  page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: new RegExp(subject) });

/** The text of the focused row. The body has the focus when nothing else has it, and contains every text. */
const focusedText = (page: Page) => page.evaluate("document.querySelector('a:focus')?.textContent") as Promise<string>;

/** Gives the selected tickets a tag, by the picker of the bulk bar. */
async function chooseTag(page: Page, tag: string): Promise<void> {
  await page.getByRole('button', { name: 'Change the tags' }).last().click();
  await page.getByRole('dialog').getByRole('combobox').fill(tag);
  await page.getByRole('dialog').getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
}

test('the keyboard selects tickets, changes them together, and keeps the focus in place', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'Oldest', 'Older', 'Newer', 'Newest');
  await rowOf(page, 'Newest').waitFor();
  expect(await page.getByRole('region', { name: 'Tickets', exact: true }).locator('a[tabindex="0"]').count()).toBe(1);
  const { keyboard } = page;
  await keyboard.press('j');
  await expect.poll(() => focusedText(page)).toContain('Newest');
  await expect.poll(() => rowOf(page, 'Newest').getAttribute('aria-current')).toBe('true');
  await keyboard.press('x');
  await keyboard.press('Shift+J');
  await page.getByText('2 selected').waitFor();
  await expect.poll(() => focusedText(page)).toContain('Newer');
  // The open ticket stays open while rows are selected.
  expect(await rowOf(page, 'Newest').getAttribute('aria-current')).toBe('true');
  await keyboard.press('Shift+K');
  await page.getByText('1 selected').waitFor();
  await keyboard.press('Control+a');
  await page.getByText('4 selected').waitFor();
  await keyboard.press('Escape');
  await expect.poll(() => page.getByRole('region', { name: 'Selected tickets' }).count()).toBe(0);
  await keyboard.press('x');
  await keyboard.press('Shift+J');
  await keyboard.press('e');
  await expect.poll(() => rowOf(page, 'Newe').count()).toBe(0);
  // The focused row is gone, so the row in its place gets the focus.
  await expect.poll(() => focusedText(page)).toContain('Older');
  const place = page.locator('[data-ticket]').filter({ hasText: 'Oldest' });
  await expect.poll(() => place.getAttribute('aria-posinset')).toBe('2');
  await expect.poll(() => place.getAttribute('aria-setsize')).toBe('2');
  expect(complaints).toEqual([]);
});

test('a range is selected by pointer and tagged, and refused tickets stay selected with the reason', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'First', 'Second', 'Third');
  await page.getByRole('region', { name: 'Getting started' }).waitFor();
  // A row that comes later would move the other rows.
  for (const subject of ['First', 'Second', 'Third']) await rowOf(page, subject).waitFor();
  const place = await rowOf(page, 'First').boundingBox();
  await rowOf(page, 'Third').click();
  await rowOf(page, 'First').click({ modifiers: ['Shift'] });
  await page.getByText('3 selected').waitFor();
  // A second click meets the row under the pointer.
  expect(await rowOf(page, 'First').boundingBox()).toEqual(place);
  await chooseTag(page, 'urgent');
  await expect.poll(() => rowOf(page, 'urgent').count()).toBe(3);
  // The picker stays open for another tag, and the same tickets get it.
  await page.keyboard.type('spring');
  await page.keyboard.press('Enter');
  await expect.poll(() => rowOf(page, 'spring').count()).toBe(3);
  await page.keyboard.press('Escape');
  await page.getByText('3 selected').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('3 selected').waitFor({ state: 'detached' });
  // A ticket has at most fifty tags.
  const [ticket] = await (await page.request.get(`${house.url}/v1/workspaces/${owner.workspaceId}/tickets`)).json();
  const tags = Array.from({ length: 50 }, (_, at) => `tag-${at}`);
  const filled = await page.request.patch(`${house.url}/v1/workspaces/${owner.workspaceId}/tickets/${ticket.id}`, {
    data: { tags },
    headers: { origin: house.url },
  });
  expect(filled.status()).toBe(200);
  await rowOf(page, 'Third').getByText('tag-0').waitFor();
  await rowOf(page, 'Second').click();
  await rowOf(page, 'Third').click({ modifiers: ['Shift'] });
  await chooseTag(page, 'one more');
  await page.keyboard.press('Escape');
  await page.getByText('1 changed, 1 refused').waitFor();
  await page.getByText('1 selected').waitFor();
  expect(await page.getByRole('alert').textContent()).toContain('#3:');
});

test('a late answer leaves a selection alone that was made since, and its refusals are told', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'First', 'Second', 'Third');
  for (const subject of ['First', 'Second', 'Third']) await rowOf(page, subject).waitFor();
  const [{ id }] = (await owner.call('GET', '/tickets?search=First')).body;
  const tags = Array.from({ length: 50 }, (_, at) => `tag-${at}`);
  expect((await owner.call('PATCH', `/tickets/${id}`, { tags })).status).toBe(200);
  await rowOf(page, 'First').getByText('tag-0').waitFor();
  const release = Promise.withResolvers<void>();
  await page.route(/\/tickets\/bulk/, async (route) => {
    await release.promise;
    await route.continue();
  });
  await page.keyboard.press('Control+a');
  await chooseTag(page, 'one more');
  await rowOf(page, 'Second').getByText('one more').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.getByText('3 selected').waitFor({ state: 'detached' });
  await rowOf(page, 'Second').click();
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  release.resolve();
  await page.getByText(/2 tickets changed, others not. #1:/).waitFor();
  await page.getByText('1 selected').waitFor();
});

test('filters are chips and the address; an empty list says what to do', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await page.getByText('New email appears here by itself.').waitFor();
  await writeIn(owner, 'Open ticket', 'Closed ticket');
  await rowOf(page, 'Closed ticket').click();
  await page.getByRole('heading', { name: 'Closed ticket' }).waitFor();
  await page.keyboard.press('e');
  await expect.poll(() => rowOf(page, 'Closed ticket').count()).toBe(0);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Closed' }).check();
  await page.getByRole('button', { name: 'Apply' }).click();
  await rowOf(page, 'Closed ticket').waitFor();
  await expect.poll(() => searchOf(page)).toBe('?status=open&status=closed');
  await page.getByRole('button', { name: 'Remove the filter Open' }).click();
  await expect.poll(() => rowOf(page, 'Open ticket').count()).toBe(0);
  await chooseIn(page, 'Order', 'Oldest ticket');
  await expect.poll(() => searchOf(page)).toBe('?status=closed&sort=createdAt&order=asc');
  await page.goto('/?tags=nobody-has-this');
  await page.getByText('No ticket matches these filters.').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await rowOf(page, 'Open ticket').waitFor();
  expect(complaints).toEqual([]);
});

test('tickets that arrive while a person reads below are announced above, and move nothing', async () => {
  const { page } = await openPage({ viewport: { width: 1280, height: 480 } });
  const owner = await register(page);
  await writeIn(owner, ...Array.from({ length: 20 }, (_, at) => `Ticket ${at}.`));
  await rowOf(page, 'Ticket 19\\.').waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await rowOf(page, 'Ticket 19\\.').hover();
  await page.mouse.wheel(0, 700);
  const read = rowOf(page, 'Ticket 7\\.');
  await read.waitFor();
  const top = async () => (await read.boundingBox())?.y ?? Number.NaN;
  await expect.poll(top).toBeLessThan(400);
  const before = await steady(page, top);
  await writeIn(owner, 'A new one');
  await page.getByRole('button', { name: '1 new' }).waitFor();
  expect(await top()).toBe(before);
  await page.getByRole('button', { name: '1 new' }).click();
  await rowOf(page, 'A new one').waitFor();
  await expect.poll(() => page.getByRole('button', { name: '1 new' }).count()).toBe(0);
});

test('a click opens a ticket while the list still scrolls', async () => {
  const { page } = await openPage({ viewport: { width: 1280, height: 480 } });
  const owner = await register(page);
  await writeIn(owner, ...Array.from({ length: 10 }, (_, at) => `Ticket ${at}.`));
  await rowOf(page, 'Ticket 9\\.').waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  const place = (await rowOf(page, 'Ticket 9\\.').boundingBox()) as { x: number; y: number };
  await page.evaluate(`{
    const rows = document.querySelector('[role=list]:has([data-ticket])');
    setInterval(() => { rows.scrollTop = rows.scrollTop === 0 ? 1 : 0; }, 20);
  }`);
  await page.waitForTimeout(100);
  await page.mouse.click(place.x + 120, place.y + 30);
  await page.getByRole('heading', { name: 'Ticket 9.', exact: true }).waitFor();
});

test('a search finds loaded tickets at once, completes operators, and reports unknown ones', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'Flat tyre', 'Brake pads', 'Brake squeals');
  await rowOf(page, 'Brake squeals').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('brake');
  const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
  await expect
    .poll(() => options.allTextContents())
    .toEqual([expect.stringContaining('Brake squeals'), expect.stringContaining('Brake pads')]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Brake squeals' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('is:pen');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('combobox', { name: 'Search' }).inputValue()).toBe('is:pending ');
  await page.keyboard.type('is:open brake is:nonsense');
  await page.keyboard.press('Enter');
  await expect.poll(() => searchOf(page)).toBe('?status=pending&status=open&search=brake');
  await page.getByText('Not understood and ignored: is:nonsense').waitFor();
  await rowOf(page, 'Brake pads').waitFor();
  await expect.poll(() => rowOf(page, 'Flat tyre').count()).toBe(0);
  expect(await rowOf(page, 'Brake pads').locator('mark').allTextContents()).toEqual(['Brake']);
  await page.goto('/');
  await rowOf(page, 'Flat tyre').waitFor();
  expect(await rowOf(page, 'Brake pads').locator('mark').count()).toBe(0);
  await page.keyboard.press('/');
  await page.getByRole('option', { name: /Recent/ }).waitFor();
  await page.keyboard.type('#1');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Flat tyre' }).waitFor();
  expect(complaints).toEqual([]);
});

test('operators for mailbox, attachment and unread become chips, and are set in the filters', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  const address = 'support@example.org';
  const box = { workspaceId: owner.workspaceId, provider: 'mail-a', address, refreshToken: 'x' } as const;
  const { id } = await putMailbox(house, box);
  await writeIn(owner, 'By support', 'By another way', 'Dismiss');
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update tickets set mailbox_id = ${id} where workspace_id = ${owner.workspaceId} and subject = 'By support'`),
  );
  // A tag of a ticket that no list on the screen holds.
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update tickets set tags = '{Workshop}', tag_keys = '{workshop}', archived_at = now()
      where workspace_id = ${owner.workspaceId} and subject = 'Dismiss'`),
  );
  await page.goto('/');
  await rowOf(page, 'By another way').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('tag:work');
  await page.getByRole('option', { name: /tag:Workshop/ }).waitFor();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('in:sup');
  await page.getByRole('option', { name: /in:support@example.org/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.type('is:unread before:2099-01-01');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Remove the filter Mailbox ${address}` }).waitFor();
  await page.getByRole('button', { name: 'Remove the filter Unread' }).waitFor();
  await expect.poll(() => rowOf(page, 'By another way').count()).toBe(0);
  await rowOf(page, 'By support').waitFor();
  expect(await page.getByText('Not understood').count()).toBe(0);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect.poll(() => page.getByRole('combobox', { name: 'Mailbox' }).inputValue()).toBe(id);
  await page.getByRole('combobox', { name: 'Mailbox' }).selectOption('Any');
  await page.getByRole('checkbox', { name: 'Has attachment' }).check();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('No ticket matches these filters.').waitFor();
  await page.getByRole('button', { name: 'Remove the filter Has attachment' }).click();
  await chooseIn(page, 'Order', 'Longest waiting first');
  await expect.poll(() => new URL(page.url()).searchParams.get('sort')).toBe('waitingSince');
  const rows = page
    .getByRole('region', { name: 'Tickets', exact: true })
    .getByRole('listitem')
    .filter({ hasText: /#\d/ });
  await expect
    .poll(() => rows.allTextContents())
    .toEqual([expect.stringContaining('By support'), expect.stringContaining('By another way')]);
  expect(complaints).toEqual([]);
});

test('the list is as wide as its person makes it, by pointer or by key, and stays so', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'Wide');
  const list = page.getByRole('region', { name: 'Tickets', exact: true });
  const width = async () => Math.round((await list.boundingBox())?.width ?? 0);
  const edge = page.getByRole('separator', { name: 'Width of the list' });
  await edge.waitFor();
  const from = (await edge.boundingBox()) ?? { x: 0, y: 0 };
  await page.mouse.move(from.x + 4, 300);
  await page.mouse.down();
  await page.mouse.move(from.x + 64, 300, { steps: 3 });
  await page.mouse.up();
  // The border belongs to the list.
  await expect.poll(width).toBe(399);
  await edge.press('ArrowLeft');
  await expect.poll(width).toBe(379);
  expect(await edge.getAttribute('aria-valuenow')).toBe('379');
  await page.mouse.move(from.x + 44, 300);
  await page.mouse.down();
  await page.mouse.move(1_200, 300, { steps: 3 });
  await page.mouse.up();
  await expect.poll(width).toBe(480);
  await page.reload();
  await rowOf(page, 'Wide').waitFor();
  expect(await width()).toBe(480);
});

test('with no ticket open, who has waited longer than a day is named, and the oldest opens', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await page.getByText('No customer has waited longer than a day.').waitFor();
  await writeIn(owner, 'Waits for two days', 'Waits for three days', 'Fresh');
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update tickets set waiting_since = waiting_since - make_interval(days => case subject
        when 'Waits for two days' then 2 when 'Waits for three days' then 3 else 0 end)
      where workspace_id = ${owner.workspaceId}`),
  );
  await page.reload();
  await page.getByText('2 customers have waited longer than a day.').waitFor();
  const card = page.getByRole('region', { name: 'Waiting longest' });
  await expect
    .poll(() => card.getByRole('link', { name: /Waits/ }).allTextContents())
    .toEqual([expect.stringContaining('three days'), expect.stringContaining('two days')]);
  await card.getByRole('link', { name: 'Open the oldest' }).click();
  await page.getByRole('heading', { name: 'Waits for three days' }).waitFor();
  expect(await card.count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('the pickers of the bulk bar open at their buttons and change all selected tickets, by keys alone', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'First', 'Second', 'Third');
  await rowOf(page, 'Third').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.keyboard.press('Shift+J');
  const bar = page.getByRole('region', { name: 'Selected tickets' });
  const assign = bar.getByRole('button', { name: 'Assign' });
  await assign.press('Enter');
  const picker = page.getByRole('dialog', { name: 'Assign: 2 tickets' });
  await picker.getByRole('option', { name: 'Unassigned' }).waitFor();
  const [button, box] = [await assign.boundingBox(), await picker.boundingBox()];
  // Within 5 px, while it grows to its size.
  expect(box?.x).toBeCloseTo(button?.x ?? 0, -1);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0);
  await page.keyboard.type('me');
  await page.keyboard.press('Enter');
  await expect.poll(() => rowOf(page, 'Assignee: Ada').count()).toBe(2);
  await page.getByText('2 selected').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+a');
  await page.getByText('3 selected').waitFor();
  await bar.getByRole('button', { name: 'Change the status' }).press('Enter');
  await page.getByRole('option', { name: 'Closed' }).waitFor();
  await page.keyboard.type('closed');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('[data-ticket]').count()).toBe(0);
});

test('a row that leaves lets the rows below slide up, and nothing moves for a person who wants it still', async () => {
  const watch = `
    globalThis.slid = [];
    const { animate } = Element.prototype;
    Element.prototype.animate = function (...given) {
      if (this.dataset.ticket !== undefined) globalThis.slid.push(this.textContent);
      return animate.apply(this, given);
    };`;
  for (const reducedMotion of ['no-preference', 'reduce'] as const) {
    const { page } = await openPage({ reducedMotion });
    const owner = await register(page);
    await writeIn(owner, 'First', 'Second', 'Third');
    await page.addInitScript(watch);
    await page.reload();
    for (const subject of ['First', 'Second', 'Third']) await rowOf(page, subject).waitFor();
    await page.evaluate('globalThis.slid = []');
    await rowOf(page, 'Third').click();
    await page.getByRole('heading', { name: 'Third', exact: true }).waitFor();
    await page.keyboard.press('e');
    await rowOf(page, 'Third').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Second', exact: true }).waitFor();
    const slid = await page.evaluate<string[]>('globalThis.slid');
    const expected =
      reducedMotion === 'reduce' ? [] : [expect.stringContaining('Second'), expect.stringContaining('First')];
    expect(slid).toEqual(expected);
  }
});

test('another list begins at its top, also one that was scrolled before', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into tickets (workspace_id, id, ticket_number, subject, status, priority, priority_rank, channel,
        message_count, last_message_at, created_at, updated_at, version, summary_version, search)
      select ${owner.workspaceId}, gen_random_uuid(), n, 'Ticket ' || n, 'open', 'normal', 2, 'api', 0,
        now() - make_interval(mins => n), now(), now(), 1, 1, ''
      from generate_series(1, 40) n`),
  );
  await page.reload();
  const goTo = (command: string) => page.locator(`nav [data-command="${command}"]`).click();
  const top = page.locator('[data-index="0"]');
  await goTo('goUnassigned');
  await page.waitForURL('**assignee=none*');
  await top.waitFor();
  await goTo('goOpen');
  await page.waitForURL((url) => !url.search.includes('assignee'));
  await top.waitFor();
  await page.locator('[data-index="3"]').hover();
  const place = async () => (await top.boundingBox())?.y ?? -1;
  // Again and again, as the list may only now begin at its top.
  const scrolled = () => page.mouse.wheel(0, 400).then(place);
  await expect.poll(scrolled).toBeLessThan(0);
  await goTo('goUnassigned');
  await expect.poll(place).toBeGreaterThan(0);
  // The first key opens its first ticket.
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: 'Ticket 1', exact: true }).waitFor();
});

import { expect, test } from 'vitest';
import { sql } from '../../../src/ground/database/sql.ts';
import { useHouse } from '../../harness/harness.ts';
import { chooseIn, rowOf, searchOf, steady, useWebPages } from '../../pages/web-pages.ts';
import type { Person } from '../../worlds/factories.ts';
import { writeSubjects } from '../../worlds/mails.ts';
import { putMailbox } from '../../worlds/put-mailbox.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);
const writeIn = (to: Pick<Person, 'workspaceId'>, ...subjects: string[]) => writeSubjects(house, to, ...subjects);

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
    new Promise((scrolled) => rows.addEventListener('scroll', scrolled, { once: true }));
  }`);
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
  await chooseIn(page, 'Order', 'Waiting longest');
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

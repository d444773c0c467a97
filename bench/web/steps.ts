/** The steps of an agent in one round, each timed. */
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { markOf } from './conversations.ts';
import { paceScript, showsInMail, timeOf, timeToRows, until, within } from './pace.ts';

export type Stage = { browser: Browser; url: string; workspaceId: string; cookies: readonly string[] };

/** Figures of one round by step, in milliseconds or in the unit that the name says. */
export type Timings = Map<string, number[]>;

type Row = { number: number; subject: string };

/** A step takes seconds. Without this limit, a page that hangs would stall the bench and not show where. */
const stepPatienceMs = 120_000;

/** One round, in new browser contexts. */
export async function runRound(stage: Stage): Promise<Timings> {
  const timings: Timings = new Map();
  const note = (name: string, value: number): void => void timings.set(name, [...(timings.get(name) ?? []), value]);
  const step = async <Result>(name: string, work: Promise<Result>): Promise<Result> => {
    try {
      return await within(work, name, stepPatienceMs);
    } catch (cause) {
      throw new Error(`the step "${name}" failed`, { cause });
    }
  };
  const context = await step('open a browser context', openContext(stage, 0));
  const other = await step('open a second browser context', openContext(stage, 1));
  try {
    const first = await context.newPage();
    note('cold load to rows', await step('cold load', load(first)));
    await step('keep what the first visit read', kept(first));
    await first.close();
    const page = await context.newPage();
    note('warm load to rows', await step('warm load', load(page)));
    const rows = () => step('read the open tickets', readRows(page, stage, 'status=open'));
    await step('move through tickets', moveThrough(page, await rows(), note));
    await step('switch lists', switchLists(page, stage, note));
    await step('open tickets far down', openFarRow(page, await rows(), note));
    await step('write an answer', write(page, note));
    await step('hear of notes', hearOfNotes(page, await other.newPage(), note));
    await step('scroll', scroll(page, note));
    await step('read 200 tickets', readOn(page, note));
  } finally {
    await step('close the browser contexts', Promise.all([context.close(), other.close()]));
  }
  return timings;
}

type Note = (name: string, value: number) => void;

async function openContext({ browser, url, cookies }: Stage, person: number): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } });
  await context.addCookies([{ name: 'kontor', value: cookies[person] ?? '', url }]);
  await context.addInitScript(paceScript);
  return context;
}

async function load(page: Page): Promise<number> {
  await page.goto('/');
  return timeToRows(page);
}

/** The next visit starts from this page's cache, which the page writes a second after reading. */
async function kept(page: Page): Promise<void> {
  while (!(await page.evaluate<boolean>(isKept))) await page.waitForTimeout(100);
  await page.waitForTimeout(2_000);
}

const isKept = `new Promise((resolve) => {
  const opened = indexedDB.open('kontor');
  opened.onsuccess = () => {
    const counted = opened.result.transaction('kept').objectStore('kept').count('pages');
    counted.onsuccess = () => { opened.result.close(); resolve(counted.result > 0); };
  };
})`;

async function readRows(page: Page, { workspaceId }: Stage, query: string): Promise<Row[]> {
  const answer = await page.request.get(`/v1/workspaces/${workspaceId}/tickets?${query}&limit=100`);
  const tickets = (await answer.json()) as { ticketNumber: number; subject: string }[];
  return tickets.map(({ ticketNumber, subject }) => ({ number: ticketNumber, subject }));
}

const movesEach = 50;
const closesEach = 20;

/** Each ticket shows three HTML mails. */
async function moveThrough(page: Page, rows: readonly Row[], note: Note): Promise<void> {
  const shown = (at: number) => showsInMail(markOf(rows[at]?.subject ?? ''));
  await page.keyboard.press('j');
  await until(page, shown(0));
  for (let at = 1; at <= movesEach; at++)
    note('next ticket (j)', await timeOf(page, shown(at), () => page.keyboard.press('j')));
  for (let at = movesEach + 1; at <= movesEach + closesEach; at++)
    note('close and next (e)', await timeOf(page, shown(at), () => page.keyboard.press('e')));
}

const lists = [
  ['Unassigned', 'status=open&assignee=none'],
  ['Closed', 'status=closed'],
  ['Open', 'status=open'],
] as const;

/** The first visit of a list asks the service; the second finds it in the cache. */
async function switchLists(page: Page, stage: Stage, note: Note): Promise<void> {
  await page.getByRole('button', { name: 'Done' }).click();
  for (const name of ['list, first visit', 'list, in the cache'])
    for (const [label, query] of lists) {
      const [first] = await readRows(page, stage, query);
      const lists = page.getByRole('navigation', { name: 'Lists' });
      const link = lists.getByRole('link', { name: new RegExp(`^${label}`) });
      const href = `document.querySelector('[data-index="0"] a')?.getAttribute('href') ?? ''`;
      const isShown = `/^\\/t\\/${first?.number}(\\?|$)/.test(${href})`;
      const time = await timeOf(page, isShown, () => link.click());
      // The start page's list is in the cache from the beginning.
      note(label === 'Open' ? 'list, in the cache' : name, time);
    }
}

async function openFarRow(page: Page, rows: readonly Row[], note: Note): Promise<void> {
  const box = page.locator('[data-index="0"]');
  await box.hover();
  for (const at of [60, 70, 80]) {
    const row = page.locator(`[data-index="${at}"] a`);
    while ((await row.count()) === 0) {
      await page.mouse.wheel(0, 400);
      await page.waitForTimeout(50);
    }
    const number = Number(/\/t\/(\d+)/.exec((await row.getAttribute('href')) ?? '')?.[1]);
    const subject = rows.find((one) => one.number === number)?.subject ?? '';
    note('ticket that was not asked for', await timeOf(page, showsInMail(markOf(subject)), () => row.click()));
  }
}

const keys = 200;
/** Nobody types faster, and a held key repeats at this rate. The random part spreads the keys over the frame. */
const pauseMs = () => 33 + Math.random() * 16;

async function write(page: Page, note: Note): Promise<void> {
  await page.keyboard.press('r');
  await until(page, isTyping);
  await page.keyboard.type('Good day. ');
  await page.evaluate('window.pace.events.length = 0');
  for (let key = 0; key < keys; key++) {
    await page.keyboard.press('abcdefg hij'.charAt(key % 11));
    await page.waitForTimeout(pauseMs());
  }
  await page.waitForTimeout(200);
  // The browser reports no shorter events.
  const slow = await page.evaluate<number[]>(
    "window.pace.events.filter(({ name }) => name === 'keydown').map(({ duration }) => duration)",
  );
  for (let key = 0; key < keys; key++) note('key in the composer', slow[key] ?? 8);
  const isSending = '/Sending in/.test(document.body.innerText)';
  note('send to undo', await timeOf(page, isSending, () => page.keyboard.press('Control+Enter')));
}

const isTyping =
  "/^(textarea|div)$/i.test(document.activeElement?.tagName ?? '') && " +
  "document.activeElement.matches('textarea, [contenteditable=true]')";

const notesEach = 5;
/** The other page just opened. Its stream opens after its first paint. */
const settlesMs = 1_000;

/** From a key of one agent to the screen of another. */
async function hearOfNotes(page: Page, other: Page, note: Note): Promise<void> {
  await other.goto(page.url());
  await until(other, "document.querySelector('article') !== null");
  await other.waitForTimeout(settlesMs);
  let text = '';
  for (let at = 0; at < notesEach; at++) {
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('n');
    await until(page, isTyping);
    text = `Live ${at} ${Date.now()}`;
    await page.keyboard.type(text);
    const heard = until(other, `document.body.innerText.includes('${text}')`);
    const sentAt = Date.now();
    await page.keyboard.press('Control+Enter');
    note('live, from screen to screen', (await heard) - sentAt);
    await page.waitForTimeout(settlesMs);
  }
  // Closes the ticket, since its mails are folded by now. So the next round does not meet it in a list of open tickets.
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('e');
  await until(page, `!document.body.innerText.includes('${text}')`);
}

/** Scrolls through some thousand rows. */
async function scroll(page: Page, note: Note): Promise<void> {
  await page.goto('/?status=closed');
  await timeToRows(page);
  await page.locator('[data-index="0"]').hover();
  await page.evaluate('window.pace.longTasks.length = 0');
  for (let step = 0; step < 150; step++) {
    await page.mouse.wheel(0, 600);
    await page.waitForTimeout(16);
  }
  note('scrolling: longest task', Math.max(0, ...(await page.evaluate<number[]>('window.pace.longTasks'))));
  note('scrolling: elements', await page.evaluate<number>("document.querySelectorAll('*').length"));
}

/** The heap after 200 tickets. */
async function readOn(page: Page, note: Note): Promise<void> {
  await page.goto('/');
  await timeToRows(page);
  for (let at = 0; at < 200; at++) {
    await page.keyboard.press('j');
    if (at % 10 === 0) await page.waitForTimeout(100);
  }
  const session = await page.context().newCDPSession(page);
  note('heap after 200 tickets, MB', await heapMb(session));
  note('mail frames', await page.evaluate<number>("document.querySelectorAll('iframe').length"));
}

async function heapMb(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.enable');
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1024 ** 2;
}

import { expect, onTestFinished, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { openPage } from '../../test/page.tsx';
import { ticketOf } from '../../test/records.ts';
import { pressSequence } from '../../test/screen.ts';
import { workspaceWith } from '../../test/workspace.ts';

const { keyboard } = userEvent;

const frame = () => new Promise(requestAnimationFrame);

/** Notes for each frame how many tickets the list has, and how many the sidebar and the list's title count. */
function watchFrames(command: string) {
  const frames: string[] = [];
  const firstNumber = (place: string) => /\d+/.exec(document.querySelector(place)?.textContent ?? '')?.[0];
  let last = '';
  const look = () => {
    const size = document.querySelector('[aria-setsize]')?.getAttribute('aria-setsize');
    const counted = firstNumber(`nav [data-command=${command}]`);
    const seen = `${size} ${counted} ${firstNumber('section[aria-label=Tickets]')}`;
    if (last !== seen) frames.push(seen);
    last = seen;
    request = requestAnimationFrame(look);
  };
  let request = requestAnimationFrame(look);
  onTestFinished(() => cancelAnimationFrame(request));
  /** Waits for so many tickets. @returns the different frames since the last call, each as `tickets sidebar title` */
  return async (size: number): Promise<string[]> => {
    await expect.poll(() => document.querySelector(`[aria-setsize="${size}"]`)).not.toBeNull();
    // Two frames later the browser has painted the rows.
    await frame();
    await frame();
    return frames.splice(0);
  };
}

/** A list that loses or gains rows: in each frame as many are counted as there are. */
const stepsTo = (...counts: number[]) => counts.map((count) => `${count} ${count} ${count}`);

const four = () => ['One', 'Two', 'Three', 'Four'].map((subject, at) => ticketOf({ ticketNumber: at + 1, subject }));

async function openFour(): Promise<void> {
  await openPage('/', workspaceWith(...four()));
  await expect.element(page.getByRole('link', { name: /^Open 4$/ })).toBeVisible();
  await keyboard('j');
  await expect.element(page.getByRole('article').first()).toBeVisible();
}

test.each(['e', 'y', '!', '#'])('the sidebar counts a ticket out and in with its row: %s and z', async (key) => {
  await openFour();
  const framesUntil = watchFrames('goOpen');
  expect(await framesUntil(4)).toEqual(stepsTo(4));
  await keyboard(key);
  expect(await framesUntil(3)).toEqual(stepsTo(3));
  await keyboard('z');
  expect(await framesUntil(4)).toEqual(stepsTo(4));
});

test('the sidebar counts several tickets at once', async () => {
  await openFour();
  const framesUntil = watchFrames('goOpen');
  expect(await framesUntil(4)).toEqual(stepsTo(4));
  await keyboard('x{Shift>}J{/Shift}');
  await expect.element(page.getByText('2 selected')).toBeVisible();
  await keyboard('e');
  expect(await framesUntil(2)).toEqual(stepsTo(2));
  await keyboard('z');
  expect(await framesUntil(4)).toEqual(stepsTo(4));
});

test('a ticket that a member takes moves from one count to the other', async () => {
  await openFour();
  await pressSequence('g', 'u');
  await expect.element(page.getByRole('heading', { name: 'Unassigned' })).toBeVisible();
  const framesUntil = watchFrames('goUnassigned');
  expect((await framesUntil(4)).at(-1)).toBe('4 4 4');
  await keyboard('j');
  await expect.element(page.getByRole('article').first()).toBeVisible();
  await keyboard('i');
  expect(await framesUntil(3)).toEqual(stepsTo(3));
  await expect.element(page.getByRole('link', { name: /^Assigned to me 1$/ })).toBeVisible();
});

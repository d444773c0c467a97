/** Times in the page, from an input event to the frame that shows its effect. */
import type { Page } from 'playwright-core';

/** Runs in the page before its own scripts. A string, since this file's types lack `window`. */
export const paceScript = `(() => {
  let startedAt;
  for (const type of ['keydown', 'click'])
    addEventListener(type, (event) => { startedAt ??= event.timeStamp; }, { capture: true });
  const longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask', buffered: true });
  const events = [];
  new PerformanceObserver((list) => events.push(...list.getEntries().map(({ name, duration }) => ({ name, duration }))))
    .observe({ type: 'event', durationThreshold: 16, buffered: true });
  const pace = {
    longTasks,
    events,
    rowsAt: undefined,
    arm(isDone) {
      startedAt = undefined;
      pace.done = new Promise((resolve) => {
        const painted = new MessageChannel();
        painted.port1.onmessage = () => resolve(performance.now() - startedAt);
        const look = () => {
          if (startedAt !== undefined && isDone()) painted.port2.postMessage(0);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      });
    },
  };
  /** Epoch milliseconds of the first frame in which a condition holds. */
  pace.until = (isDone) => new Promise((resolve) => {
    const look = () => isDone() ? resolve(performance.timeOrigin + performance.now()) : requestAnimationFrame(look);
    look();
  });
  window.pace = pace;
  const lookForRows = () => {
    if (document.querySelector('[data-index="0"]') === null) return void requestAnimationFrame(lookForRows);
    const painted = new MessageChannel();
    painted.port1.onmessage = () => { pace.rowsAt = performance.now(); };
    painted.port2.postMessage(0);
  };
  requestAnimationFrame(lookForRows);
})()`;

/**
 * Milliseconds from the first key or click of `act` to the first painted frame in which a condition holds.
 * @param condition a JavaScript expression
 */
export async function timeOf(page: Page, condition: string, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate(`window.pace.arm(() => ${condition})`);
  await act();
  return within(page.evaluate<number>('window.pace.done'), `a frame where ${condition}`);
}

/** Milliseconds from the start of the navigation until rows are painted. */
export async function timeToRows(page: Page): Promise<number> {
  await until(page, 'window.pace.rowsAt !== undefined');
  return page.evaluate<number>('window.pace.rowsAt');
}

const patienceMs = 10_000;

/** @param what names the step in the error of a timeout */
export async function within<Result>(
  work: Promise<Result>,
  what: string,
  patienceOfStepMs: number = patienceMs,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`not done within ${patienceOfStepMs / 1_000} s: ${what}`));
    timer = setTimeout(fail, patienceOfStepMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits for a frame in which a condition holds. Playwright's own way would need `eval`, which the page forbids.
 * @returns when the frame was painted, in milliseconds since 1970
 */
export function until(page: Page, condition: string): Promise<number> {
  return within(page.evaluate<number>(`window.pace.until(() => ${condition})`), `a frame where ${condition}`);
}

/** A JavaScript expression: whether a visible mail frame contains a text. */
export function showsInMail(text: string): string {
  return [
    "[...document.querySelectorAll('iframe:not([hidden])')]",
    `.some((frame) => frame.contentDocument?.body?.textContent.includes(${JSON.stringify(text)}))`,
  ].join('');
}

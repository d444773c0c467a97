import { expect } from 'vitest';
import { type Locator, page, userEvent } from 'vitest/browser';

/** Places of the page, and what people do there. */

/** A ticket of the list, by its subject or other words. */
export function rowOf(subject: string): Locator {
  return page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: new RegExp(subject) });
}

export function headingOf(subject: string): Locator {
  return page.getByRole('heading', { name: subject, exact: true });
}

export const textBox = page.getByRole('textbox', { name: 'Text' });
const composer = page.getByRole('region', { name: /^(Reply|Internal note)$/ });
/** The bar that stands for the composer until a person writes. */
const bar = composer.getByRole('button', { name: /^Reply to/ });

export function seeRow(subject: string): Promise<void> {
  return expect.element(rowOf(subject)).toBeVisible();
}

export function seeNoRow(subject: string): Promise<void> {
  return expect.element(rowOf(subject)).not.toBeInTheDocument();
}

/** Writes an answer in place of the text that is there. */
export async function rewrite(text: string): Promise<void> {
  await expect.poll(() => bar.query() ?? textBox.query()).not.toBeNull();
  if (textBox.query() === null) await bar.click();
  await expect.element(page.getByRole('toolbar', { name: 'Format' })).toBeVisible();
  await textBox.click();
  await userEvent.keyboard(`{Control>}a{/Control}${text}`);
}

/** Clicks a button, and sees a short message, which may be gone by the time at which a busy machine ends the click. */
export async function clickAndSee(button: string, message: string): Promise<void> {
  await Promise.all([
    expect.element(page.getByText(message)).toBeVisible(),
    page.getByRole('button', { name: button }).click(),
  ]);
}

/** Presses keys that make one command together. They arrive in time, however busy the machine is. */
export async function pressSequence(...keys: string[]): Promise<void> {
  await Promise.all(keys.map((key) => userEvent.keyboard(key)));
}

/** Waits until the composer has no text and is a bar again. */
export async function seeNothingWritten(): Promise<void> {
  await expect.element(bar).toBeVisible();
  await expect.element(textBox).not.toBeInTheDocument();
}

export function seeText(text: string): Promise<void> {
  return expect.poll(() => textBox.query()?.textContent).toBe(text);
}

export function seePath(path: string): Promise<void> {
  return expect.poll(() => window.location.pathname).toBe(path);
}

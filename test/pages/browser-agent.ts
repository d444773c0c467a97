import type { BrowserContext, Locator, Page } from 'playwright-core';
import { FaultyNetwork } from '../peers/faulty-network.ts';

/** A word that a test writes once, and its ticket. */
export type Written = { word: string; ticketNumber: number; atMs: number };

/** A member at a browser, who uses keys and does not wait for the service. */
export class BrowserAgent {
  readonly name: string;
  readonly network: FaultyNetwork;
  /** The words that the test must find again. */
  readonly written: Written[] = [];
  readonly complaints: string[] = [];
  /** When a tab last closed or reloaded in the middle of an action. */
  diedAtMs = 0;
  page!: Page; // `arrive` opens the page before any action.
  #context: BrowserContext;
  #list: string;

  /** @param list the address of the list beside which tickets are read */
  constructor(name: string, context: BrowserContext, list: string) {
    this.name = name;
    this.network = new FaultyNetwork(context);
    this.#context = context;
    this.#list = list;
  }

  /** Opens a tab on the list, or on the address of the last tab. */
  async arrive(address = this.#list): Promise<void> {
    this.page = await this.#context.newPage();
    this.page.on('pageerror', (error) => this.complaints.push(error.stack ?? error.message));
    await this.page.goto(address);
    await this.#listed();
  }

  /** By now all tickets of a list may be closed or snoozed. */
  async #listed(): Promise<void> {
    const isListed = await isDone(
      this.rows
        .or(this.page.getByText(/^No tickets? (here|matches)/))
        .first()
        .waitFor(),
    );
    if (isListed) return;
    const shown = await this.page.evaluate('document.body.innerText');
    throw new Error(`${this.name} sees no list at ${this.page.url()}: ${shown}`);
  }

  get rows(): Locator {
    return this.page.getByRole('region', { name: 'Tickets', exact: true }).locator('[data-ticket]');
  }

  /** The number of the open ticket, if any. */
  get openNumber(): number | undefined {
    const number = new URL(this.page.url()).pathname.match(/^\/t\/(\d+)$/)?.[1];
    return number === undefined ? undefined : Number(number);
  }

  async open(ticketNumber: number): Promise<boolean> {
    const link = this.rows.locator(`a[href^="/t/${ticketNumber}?"]`);
    // A colleague may close the ticket before the click, and its row disappears.
    return (await link.count()) > 0 && (await isDone(link.click({ timeout: 3_000 }))) && this.isOpen(ticketNumber);
  }

  /** Whether the ticket shows. Without a network it may not. */
  async isOpen(ticketNumber: number): Promise<boolean> {
    const number = this.page.getByRole('article').getByText(`#${ticketNumber}`, { exact: true }).first();
    return isDone(number.waitFor({ timeout: 3_000 }));
  }

  /** Presses the keys of a command, outside of the text. */
  async command(keys: string): Promise<void> {
    await this.leaveText();
    await this.page.keyboard.press(keys);
  }

  async leaveText(): Promise<void> {
    await this.page.evaluate('document.activeElement?.blur()');
  }

  /** @returns whether the composer is there and takes keys */
  async compose(kind: 'answer' | 'note'): Promise<boolean> {
    await this.command(kind === 'answer' ? 'r' : 'n');
    const text = this.page
      .getByRole('region', { name: kind === 'answer' ? 'Reply' : 'Internal note', exact: true })
      .getByRole('textbox', { name: 'Text' })
      // A formatted text takes no keys before its editor has loaded.
      .and(this.page.locator(':not([readonly])'));
    // The ticket may be closed or left while its composer loads.
    return isDone(text.focus({ timeout: 3_000 }));
  }

  async write(kind: 'answer' | 'note', word: string): Promise<boolean> {
    const ticketNumber = this.openNumber;
    if (ticketNumber === undefined || !(await this.isOpen(ticketNumber)) || !(await this.compose(kind))) return false;
    await this.page.keyboard.press('Control+End');
    await this.page.keyboard.type(`${word} `);
    this.written.push({ word, ticketNumber, atMs: Date.now() });
    return true;
  }

  async send(kind: 'answer' | 'note', keys: string): Promise<void> {
    if (await this.compose(kind)) await this.page.keyboard.press(keys);
  }

  /** Chooses the first result of a picker for these words. */
  async pick(keys: string, words: string): Promise<void> {
    await this.command(keys);
    const field = this.page.getByRole('dialog').getByRole('combobox');
    if (!(await isDone(field.waitFor({ timeout: 2_000 })))) return;
    if (await isDone(field.fill(words, { timeout: 3_000 }))) await this.page.keyboard.press('Enter');
    if (await field.isVisible()) await this.page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
  }

  async click(button: string): Promise<void> {
    const found = this.page.getByRole('button', { name: button }).first();
    if ((await found.count()) > 0) await isDone(found.click({ timeout: 3_000 }));
  }

  /** Restores the text of an answer whose tab died during the undo. */
  async restore(ticketNumber: number): Promise<void> {
    if (this.openNumber !== ticketNumber) {
      this.diedAtMs = Date.now();
      await this.page.goto(`/t/${ticketNumber}${this.#list.slice(1)}`);
    }
    const button = this.page.getByRole('button', { name: 'Restore the text' }).first();
    // There is no button if the text comes back by itself.
    await isDone(button.click({ timeout: 5_000 }));
  }

  /** @returns the browser's entries with a word that the service lacks or has not confirmed */
  async keptWith(word: string): Promise<string> {
    const kept = await this.page.evaluate<string[]>('Object.entries(localStorage).map((pair) => pair.join(": "))');
    return kept.filter((entry) => entry.includes(word)).join('\n') || 'nothing';
  }

  /** Kills the tab and opens it again. Text of the last second may be lost. */
  async die(): Promise<void> {
    const address = this.page.url();
    this.diedAtMs = Date.now();
    await this.page.close({ runBeforeUnload: false });
    await this.arrive(address);
  }

  /** A reload without a network shows the browser's own page. */
  async reload(): Promise<void> {
    this.diedAtMs = Date.now();
    await this.page.reload();
    await this.#listed();
  }
}

/** An agent skips a step that takes too long, and the test goes on. */
function isDone(step: Promise<unknown>): Promise<boolean> {
  return step.then(
    () => true,
    () => false,
  );
}

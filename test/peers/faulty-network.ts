import type { BrowserContext, Route } from 'playwright-core';

/** How a request fails: it or its answer gets lost, or the service answers with an error. */
const faults = ['request lost', 'answer lost', 'unavailable', 'too many'] as const;
type Fault = (typeof faults)[number];

/** Makes the next requests of a browser fail; all others pass. */
export class FaultyNetwork {
  #planned: Fault[] = [];
  #context: BrowserContext;
  #isWhole = true;

  constructor(context: BrowserContext) {
    this.#context = context;
  }

  async open(): Promise<void> {
    await this.#context.route(/\/v1\//, (route) =>
      // A page that closes cancels its requests.
      this.#pass(route).catch(() => undefined),
    );
  }

  /** @param random from 0 to 1 */
  plan(random: () => number): string {
    const fault = faults[Math.floor(random() * faults.length)] ?? 'request lost';
    const count = 1 + Math.floor(random() * 3);
    this.#planned.push(...Array.from({ length: count }, () => fault));
    return `${count} × ${fault}`;
  }

  /** The network is away until `mend`. */
  async cut(): Promise<void> {
    this.#isWhole = false;
    await this.#context.setOffline(true);
  }

  async mend(): Promise<void> {
    this.#planned = [];
    if (!this.#isWhole) await this.#context.setOffline(false);
    this.#isWhole = true;
  }

  async #pass(route: Route): Promise<void> {
    const fault = route.request().url().includes('/auth/') ? undefined : this.#planned.shift();
    if (fault === undefined) return route.continue();
    if (fault === 'request lost') return route.abort('connectionreset');
    if (fault === 'unavailable') return route.fulfill({ status: 503, headers: { 'retry-after': '1' } });
    if (fault === 'too many') return route.fulfill({ status: 429, headers: { 'retry-after': '1' } });
    // A stream has no end to wait for.
    if (route.request().url().includes('/stream')) return route.abort('connectionreset');
    await route.fetch();
    return route.abort('connectionreset');
  }
}

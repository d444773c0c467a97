import { Gauge, type Registry } from 'prom-client';

/** A gauge that is NaN when its reading fails, so that the scrape still delivers the other metrics. */
export function gauge(register: Registry, name: string, help: string, read: () => Promise<number | undefined>): void {
  new Gauge({
    name,
    help,
    registers: [register],
    async collect() {
      this.set((await read().catch(() => undefined)) ?? Number.NaN);
    },
  });
}

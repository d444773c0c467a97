import autocannon from 'autocannon';
import { connectionCount } from './limit-pool.ts';

export type Driven = { requests: number; requestsPerSecond: number; p50Ms: number; p99Ms: number };

export type Load = {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** The requests of each connection, which it makes over and over. */
  requests: readonly (readonly autocannon.Request[])[];
  seconds: number;
};

/** Connects, asks without pause until the time is over, and counts. Throws when an answer is not 2xx, late or missing. */
export async function drive({ url, requests, seconds }: Load): Promise<Driven> {
  const latenciesMs: number[] = [];
  let connected = 0;
  let firstAt = 0;
  let lastAt = 0;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(
      {
        url,
        connections: connectionCount,
        duration: seconds,
        timeout: 10,
        // Its own requests are built per connection: each asks for other tickets than the next.
        setupClient: (client) => {
          client.setRequests(requests[connected++ % requests.length]?.map((request) => ({ ...request })) ?? []);
        },
      },
      (error: unknown, done) => (error ? reject(error) : resolve(done)),
    );
    // autocannon's own histogram counts whole milliseconds: too coarse for answers that take two.
    run.on('response', (_client, _status, _bytes, milliseconds) => {
      lastAt = performance.now();
      if (latenciesMs.length === 0) firstAt = lastAt;
      latenciesMs.push(milliseconds);
    });
  });
  const bad = result.non2xx + result.errors + result.timeouts;
  if (bad > 0) {
    const statuses = JSON.stringify(result.statusCodeStats);
    throw new Error(`${bad} of ${latenciesMs.length} requests failed at ${url} (statuses ${statuses})`);
  }
  const sorted = Float64Array.from(latenciesMs).sort();
  const percentile = (share: number): number =>
    sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
  // Its duration begins before the requests are built.
  const measuredSeconds = (lastAt - firstAt) / 1_000;
  return {
    requests: sorted.length,
    requestsPerSecond: (sorted.length - 1) / measuredSeconds,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  };
}

import autocannon from 'autocannon';
import type { Asking } from './requests.ts';

export type Driven = { requests: number; requestsPerSecond: number; p50Ms: number; p99Ms: number };

export type Load = {
  /** Where every path begins: `http://127.0.0.1:<port>`, or with a folder behind it. */
  url: string;
  /** What each connection asks, without pause. */
  asking: readonly Asking[];
  seconds: number;
  /** The status of a good answer; any 2xx where none is given. */
  status?: number;
};

/** Connects, asks without pause until the time is over, and counts. Throws when an answer is not a good one, late or missing. */
export async function drive({ url, asking, seconds, status }: Load): Promise<Driven> {
  const { origin, pathname } = new URL(url);
  const base = pathname === '/' ? '' : pathname;
  const latenciesMs: number[] = [];
  let connected = 0;
  let beganAt = 0;
  let lastAt = 0;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(
      {
        url: origin,
        connections: asking.length,
        duration: seconds,
        timeout: 10,
        // Its own requests are built per connection: each asks for other tickets than the next.
        setupClient: (client) => {
          client.setRequests(requestsFor(asking[connected++ % asking.length] ?? [], base));
        },
      },
      (error: unknown, done) => (error ? reject(error) : resolve(done)),
    );
    // autocannon's own histogram counts whole milliseconds: too coarse for answers that take two.
    run.on('response', (_client, _status, _bytes, milliseconds) => {
      lastAt = performance.now();
      // Its duration begins before the requests are built.
      if (latenciesMs.length === 0) beganAt = lastAt - milliseconds;
      latenciesMs.push(milliseconds);
    });
  });
  refuseBad(result, url, status);
  const sorted = Float64Array.from(latenciesMs).sort();
  // Without any answer a request took the whole time at least.
  const percentile = (share: number): number =>
    sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? seconds * 1_000;
  const measuredSeconds = (lastAt - beganAt) / 1_000;
  return {
    requests: sorted.length,
    requestsPerSecond: sorted.length === 0 ? 0 : sorted.length / measuredSeconds,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  };
}

function requestsFor(asking: Asking, base: string): autocannon.Request[] {
  const based = (request: autocannon.Request): autocannon.Request => ({ ...request, path: `${base}${request.path}` });
  if (typeof asking !== 'function') return asking.map(based);
  let answer: string | undefined;
  return [
    {
      setupRequest: (usual) => ({ ...usual, ...based(asking(answer)) }),
      onResponse: (_status, body) => {
        answer = body;
      },
    },
  ];
}

function refuseBad(result: autocannon.Result, url: string, status: number | undefined): void {
  const statuses = result.statusCodeStats ?? {};
  const counts = Object.entries(statuses).map(([code, { count = 0 }]) => ({ code: Number(code), count }));
  const isGood = (code: number): boolean => (status === undefined ? code >= 200 && code < 300 : code === status);
  const refused = counts.filter(({ code }) => !isGood(code)).reduce((sum, { count }) => sum + count, 0);
  const bad = refused + result.errors + result.timeouts;
  if (bad === 0) return;
  throw new Error(
    `${bad} requests failed at ${url} (${result.errors} errors, ${result.timeouts} of them late, statuses ${JSON.stringify(statuses)})`,
  );
}

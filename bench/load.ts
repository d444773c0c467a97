import autocannon from 'autocannon';
import type { Asking } from './requests.ts';

export type Driven = { requests: number; requestsPerSecond: number; p50Ms: number; p99Ms: number };

export type Load = {
  /** The beginning of every path: `http://127.0.0.1:<port>`, or with a path of its own. */
  url: string;
  /** The requests of each connection, sent without pause. */
  asking: readonly Asking[];
  seconds: number;
  /** The expected status. Default: any 2xx. */
  status?: number;
};

/**
 * Sends requests without pause until the time is over, and counts the answers. Throws if an answer is bad, late or
 * missing.
 */
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
        // Builds requests per connection, since each asks for other tickets.
        setupClient: (client) => {
          client.setRequests(requestsFor(asking[connected++ % asking.length] ?? [], base));
        },
      },
      (error: unknown, done) => (error ? reject(error) : resolve(done)),
    );
    // autocannon's own histogram counts whole milliseconds, which is too coarse for answers of two.
    run.on('response', (_client, _status, _bytes, milliseconds) => {
      lastAt = performance.now();
      // autocannon's own duration includes the building of the requests.
      if (latenciesMs.length === 0) beganAt = lastAt - milliseconds;
      latenciesMs.push(milliseconds);
    });
  });
  refuseBad(result, url, status);
  const sorted = Float64Array.from(latenciesMs).sort();
  // Without any answer, a request took at least the whole time.
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
    `${bad} requests failed at ${url} ` +
      `(${result.errors} errors, ${result.timeouts} of them late, statuses ${JSON.stringify(statuses)})`,
  );
}

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { cloneDatabase } from '../harness/harness.ts';
import { freePort, runService, type ServiceProcess, temporaryFolder } from '../harness/service-process.ts';

// One folder for all tests, which follow one another as starts do.
let dataDir: string;
let removeDataDir: () => Promise<void>;
let database: Awaited<ReturnType<typeof cloneDatabase>>;
/** An existing database, for tests that are not about the embedded database. */
let external: Record<string, string>;
const services: ServiceProcess[] = [];

beforeAll(async () => {
  ({ path: dataDir, remove: removeDataDir } = await temporaryFolder());
  database = await cloneDatabase();
  external = { DATABASE_URL: database.url, AUTH_SECRET: 'x'.repeat(32), ENCRYPTION_KEY: 'x'.repeat(32) };
});
afterAll(async () => {
  for (const service of services) service.process.kill('SIGKILL');
  // A failed test may leave a server behind.
  if (!isDatabaseStopped()) process.kill(Number(readFileSync(postmasterFile(), 'utf8').split('\n')[0]), 'SIGQUIT');
  await vi.waitFor(() => expect(isDatabaseStopped()).toBe(true), 30_000);
  await database.drop();
  await removeDataDir();
});

function start(settings: Record<string, string>, args?: string[]): ServiceProcess {
  const service = runService({ DATA_DIR: dataDir, ...settings }, args);
  services.push(service);
  return service;
}

async function startListening(settings: Record<string, string> = {}): Promise<ServiceProcess & { port: number }> {
  const service = start(settings);
  const [, port] = await service.seen(/Kontor listens at http:\/\/127\.0\.0\.1:(\d+)/);
  return { ...service, port: Number(port) };
}

const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';

/** Begins a request. The server shows that the request has arrived by asking for its body, which comes later. */
async function beginRequest(port: number): Promise<{ socket: Socket; answer: Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  const answer = new Promise<string>((resolve) => {
    socket.on('error', () => {}).on('close', () => resolve(text.slice(goOn.length)));
  });
  socket.write(
    [
      'POST /v1/auth/session HTTP/1.1',
      'host: a',
      'content-type: application/json',
      'content-length: 2',
      'expect: 100-continue',
      '\r\n',
    ].join('\r\n'),
  );
  await vi.waitFor(() => expect(text).toBe(goOn), 30_000);
  socket.write('{');
  return { socket, answer };
}

/**
 * With several processes, the port closes with the last process. A client at that moment gets no answer, so it must not
 * wait long.
 */
const isRefused = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(1_000) }).then(
    () => false,
    ({ cause }) => cause?.code === 'ECONNREFUSED',
  );

/** The tests start up to three processes and a database in sequence, maybe on a busy machine. */
const patient = { timeout: 300_000 };

const postmasterFile = () => join(dataDir, 'postgres/data/postmaster.pid');
const isDatabaseStopped = () => !existsSync(postmasterFile());

test(
  'it starts on an empty folder, logs its address and advice on its settings, ' +
    'shares the folder with no other process, and stops in order',
  patient,
  async () => {
    const service = await startListening();
    expect((await fetch(`http://127.0.0.1:${service.port}/readyz`)).status).toBe(200);
    expect(service.output()).toMatch(/EMAIL_VERIFICATION is off/);
    // A first start is a few lines, all of them JSON: no person looks at this output.
    const lines = service.output().trim().split('\n');
    const warnings = lines.map((line) => JSON.parse(line)).filter(({ level, err }) => level === 'warn' && !err);
    expect(warnings.map(({ msg }) => msg)).toEqual([expect.stringMatching(/EMAIL_VERIFICATION is off/)]);
    expect(lines.filter((line) => line.includes('migrations ran'))).toHaveLength(1);
    expect(lines.filter((line) => !line.includes('"err":')).length).toBeLessThan(10);
    const second = start({ LOG_LEVEL: 'error' });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.output()).toMatch(/^Another Kontor uses the data folder [^\n]*\n$/);
    service.process.kill('SIGTERM');
    expect(await service.exited).toEqual({ code: 0, signal: null });
    expect(isDatabaseStopped()).toBe(true);
    expect(service.output().trim().split('\n').at(-1)).toContain('"msg":"stopped"');
    expect(service.output()).not.toMatch(/connection was lost|"level":"error"/);
  },
);

test.each([1, 2])('a request under way is answered before it ends, with %d processes', patient, async (processes) => {
  const service = await startListening({ ...external, WEB_CONCURRENCY: String(processes) });
  const { socket, answer } = await beginRequest(service.port);
  service.process.kill('SIGINT');
  await service.seen(/SIGINT: stopping/);
  await vi.waitFor(async () => expect(await isRefused(service.port)).toBe(true), 30_000);
  socket.write('}');
  expect(await answer).toMatch(/^HTTP\/1.1 400 .*"request\.invalid"/s);
  expect(await service.exited).toEqual({ code: 0, signal: null });
  expect(service.output()).not.toMatch(/took too long/);
});

test(
  'a signal that comes a second behind the first ends it at once, and the next start adopts the database',
  patient,
  async () => {
    const service = await startListening();
    const { socket } = await beginRequest(service.port);
    const firstAt = performance.now();
    service.process.kill('SIGTERM');
    await service.seen(/SIGTERM: stopping/);
    await vi.waitFor(() => {
      service.process.kill('SIGINT');
      expect(service.process.exitCode).toBe(1);
    }, 30_000);
    expect(performance.now() - firstAt).toBeGreaterThan(1_000);
    await service.exited;
    expect(service.output()).toMatch(/stopped at once, on a second signal/);
    socket.destroy();
    expect(isDatabaseStopped()).toBe(false);

    const next = await startListening();
    expect(next.output()).toMatch(/"isAdopted":true/);
    next.process.kill('SIGTERM');
    await next.exited;
  },
);

const isAlive = (pid: string) => {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
};

test('of several processes, one that ends is restarted, and none outlives the main process', patient, async () => {
  const service = await startListening({ ...external, WEB_CONCURRENCY: '2' });
  const url = `http://127.0.0.1:${service.port}`;
  const pids = [1, 2].map((number) => new RegExp(`"process":${number},"pid":(\\d+)`).exec(service.output())?.[1] ?? '');
  const numbers = await (await fetch(`${url}/metrics`)).text();
  for (const name of ['main', 1, 2]) expect(numbers).toContain(`process_resident_memory_bytes{process="${name}"}`);
  expect(numbers.match(/^kontor_jobs\{state="due"/gm)).toHaveLength(1);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);

  process.kill(Number(pids[0]), 'SIGKILL');
  await service.seen(/"process":1,"how":"it ended with SIGKILL"/);
  const [, again = ''] = await service.seen(new RegExp(`"process":1,"pid":(?!${pids[0]})(\\d+)`));
  expect((await fetch(`${url}/readyz`)).status).toBe(200);

  service.process.kill('SIGKILL');
  await vi.waitFor(() => expect([again, pids[1] ?? ''].map(isAlive)).toEqual([false, false]), 30_000);
});

test('when its database dies it logs that and ends', patient, async () => {
  const service = await startListening();
  const [, pid] = await service.seen(/"pid":(\d+),.*PostgreSQL is ready/);
  process.kill(Number(pid), 'SIGKILL');
  expect(await service.exited).toEqual({ code: 1, signal: null });
  expect(service.output()).toMatch(/"level":"fatal".*PostgreSQL \(process \d+\) ended by itself/);
  // The killed server could not remove it, and the end of these tests looks for it.
  rmSync(postmasterFile());
});

test(
  'a taken port is told in one line, of several processes too, before the database is touched',
  patient,
  async () => {
    const port = await freePort();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    const unused = join(dataDir, 'unused');
    const service = start({ PORT: String(port), WEB_CONCURRENCY: '2', DATA_DIR: unused });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    other.close();
    expect(service.output()).toContain(
      `Port ${port} is taken by another program: stop that program, or set PORT to another port.\n`,
    );
    expect(existsSync(unused)).toBe(false);
  },
);

test.each([
  ['3000', (port: string) => `http://localhost:${port}`, {}],
  ['with PUBLIC_URL', () => 'https://desk.example', { PUBLIC_URL: 'https://desk.example', HOST: '127.0.0.1' }],
])('npm start ends with a line for people (%s)', patient, async (_name, url, settings) => {
  const port = String(await freePort());
  const service = start({ PORT: port, npm_lifecycle_event: 'start', ...settings, ...external });
  await service.seen(/Kontor is ready: /);
  expect(service.output().trim().split('\n').at(-1)).toBe(`Kontor is ready: ${url(port)}`);
  service.process.kill('SIGTERM');
  await service.exited;
});

test('without the role api it opens no port, and runs jobs until told to stop', patient, async () => {
  const port = await freePort();
  const service = start({ PORT: String(port), ROLES: 'worker', ...external });
  await service.seen(/Kontor runs its jobs/);
  await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow();
  service.process.kill('SIGTERM');
  expect(await service.exited).toEqual({ code: 0, signal: null });
});

test('wrong settings are reported together, without a stack trace', patient, async () => {
  const service = start({ PORT: 'x', LOG_LEVEL: 'loud' });
  expect(await service.exited).toEqual({ code: 1, signal: null });
  expect(service.output()).toMatch(/^The settings have faults:\n {2}PORT: [^\n]*\n {2}LOG_LEVEL: [^\n]*\n$/);
});

test('an unreachable database is reported in one line', patient, async () => {
  const service = start({
    ...external,
    DATABASE_URL: 'postgres://kontor:secret@127.0.0.1:1/kontor',
    LOG_LEVEL: 'error',
  });
  expect(await service.exited).toEqual({ code: 1, signal: null });
  expect(service.output()).toBe('The PostgreSQL of DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:1.\n');
});

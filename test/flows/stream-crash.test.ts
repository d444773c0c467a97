import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EventReader, readEvents } from '../harness/event-reader.ts';
import { useHouse } from '../harness/harness.ts';
import { type Service, startService } from '../harness/service.ts';
import { temporaryFolder } from '../harness/service-process.ts';
import { makeOwner, type Person } from '../worlds/factories.ts';

const secrets = { AUTH_SECRET: 'a'.repeat(48), ENCRYPTION_KEY: 'e'.repeat(48) };
const readersMax = 50;
const house = useHouse(secrets);
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let services: [Service, Service];

beforeAll(async () => {
  folder = await temporaryFolder();
  const settings = { ...secrets, DATABASE_URL: house.databaseUrl, ROLES: 'api', LOG_LEVEL: 'warn' };
  services = await Promise.all([startService(folder.path, settings), startService(folder.path, settings)]);
}, 300_000);
afterAll(async () => {
  for (const { process: child, exited } of services) {
    child.kill('SIGKILL');
    await exited;
  }
  await folder.remove();
});

async function openReaders(at: { url: string }, owner: Person): Promise<EventReader[]> {
  const readers = await Promise.all(Array.from({ length: readersMax }, () => readEvents(at, owner)));
  await Promise.all(readers.map((reader) => reader.until(() => reader.lastEventId() !== '')));
  return readers;
}

/**
 * Writes tickets at the remaining process until told to stop. @returns a function that stops, and returns the number of
 * tickets
 */
function keepWriting(owner: Person): () => Promise<number> {
  let isWanted = true;
  let made = 0;
  const write = async () => {
    while (isWanted) {
      await owner.call('POST', '/tickets', { subject: 's', body: 'b' });
      made++;
    }
  };
  const writing = Promise.all([write(), write(), write()]);
  return async () => {
    isWanted = false;
    await writing;
    return made;
  };
}

const idsOf = (events: EventReader['events']) => events.map(({ id }) => id);

test.each([
  { how: 'is killed', nth: 0, signal: 'SIGKILL', code: null },
  { how: 'is told to stop', nth: 1, signal: 'SIGTERM', code: 0 },
] as const)(
  'while tickets are written a process $how: its readers continue at another, and get every event once',
  async ({ nth, signal, code }) => {
    const service = services[nth];
    const owner = await makeOwner(house);
    const steady = await readEvents(house, owner);
    await steady.until(() => steady.lastEventId() !== '');
    const readers = await openReaders(service, owner);
    const stopWriting = keepWriting(owner);
    await Promise.all(readers.map((reader) => reader.until(({ length }) => length >= 5)));
    service.process.kill(signal);
    await Promise.all(readers.map(({ ended }) => ended));
    if (signal === 'SIGTERM') {
      // Each stream ended after a complete event, and the stop waited for no reader.
      for (const reader of readers) expect([reader.isWhole(), reader.text().slice(-2)]).toEqual([true, '\n\n']);
    }
    expect((await service.exited).code).toBe(code);
    expect(service.output()).not.toMatch(/waiting for requests to end/);

    const again = await Promise.all(
      readers.map((reader) => readEvents(house, owner, { lastEventId: reader.lastEventId() })),
    );
    const made = await stopWriting();
    const all = idsOf(await steady.until(({ length }) => length === made));
    for (const [at, reader] of again.entries()) {
      const before = readers[at]?.events ?? [];
      await reader.until(({ length }) => before.length + length >= made);
      expect(idsOf([...before, ...reader.events])).toEqual(all);
      reader.close();
    }
    steady.close();
  },
);

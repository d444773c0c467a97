import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDesk } from '../../bench/storm/desk.ts';
import { gmailSide } from '../../bench/storm/gmail-side.ts';
import { graphSide } from '../../bench/storm/graph-side.ts';
import { runStorm } from '../../bench/storm/storm.ts';
import { openGmailEmulator } from '../../emulators/gmail.ts';
import { openGraphEmulator } from '../../emulators/graph.ts';
import { startDueWork } from '../../src/ground/queue/due-work.ts';
import { type Queue, startQueue } from '../../src/ground/queue/queue.ts';
import { dueKinds, jobHandlers } from '../../src/worker.ts';
import { buildHouse, type House } from '../harness/harness.ts';
import { freePort } from '../harness/service-process.ts';
import { skipOnCitus } from '../harness/skip-on-citus.ts';

const seed = 7;
let house: House & { close(): Promise<void> };
let queue: Queue;
let working: ReturnType<typeof startDueWork>[] = [];
const graph = await openGraphEmulator({ seed });
const gmail = await openGmailEmulator({ seed });
const sides = [graphSide(graph.url, { hasStalls: false }), gmailSide(gmail.url, { hasStalls: false })];

beforeAll(async () => {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  gmail.configure({ endpoint: `${url}/v1/webhooks/mail-b` });
  house = await buildHouse(
    {
      ...gmail.settings,
      ...graph.settings,
      MAIL_A_WEBHOOK_SECRET: 'a secret of the storm',
      PUBLIC_URL: url,
      PORT: String(port),
    },
    () => {},
  );
  const { app } = house;
  queue = await startQueue({ db: app.db, log: app.log, handlers: jobHandlers(app), crontab: [], concurrency: 8 });
  working = dueKinds(app).map((kind) => startDueWork(app, kind));
});
afterAll(async () => {
  await Promise.all(working.map(({ stop }) => stop()));
  await queue?.stop();
  await house?.close();
  await Promise.all([gmail.close(), graph.close()]);
});

test('whatever fails, each mail is one message of its ticket and each answer arrives once', async (context) => {
  skipOnCitus(context, 'The storm shortens waits by locking rows of all workspaces, which Citus refuses.');
  const boxes = ['a', 'b'].map((desk) =>
    sides.map((side) => ({ side, address: `desk-${desk}@${side.provider}.example` })),
  );
  const desks = await Promise.all(boxes.map((some, index) => openDesk(house.url, `desk${index}`, some)));
  const outcome = await runStorm(
    { db: house.app.db, sides, desks },
    {
      seed,
      mails: 30,
      writersAtOnce: 4,
      mailsPerAnswer: 4,
      mailsPerBlow: 10,
      pauseMs: 20,
      settling: { timeoutMs: 300_000, pollMs: 50, patienceMs: 1_000 },
    },
  );
  expect(outcome.differences).toEqual([]);
}, 600_000);

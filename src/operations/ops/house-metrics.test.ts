import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { deliveryDesk } from '../../../test/worlds/delivery-desk.ts';
import { call, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { mailOf, sourceOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { storeRawMails } from '../../transport/mailflow/raw-mails.ts';
import { noteBackup } from '../backups/note-backup.ts';

const house = useHouse();
let owner: Person;
const desk = deliveryDesk(house, () => owner);
beforeAll(async () => {
  owner = await makeOwner(house);
});

const metrics = async () => (await call(house, 'GET', '/metrics')).body as string;
const numberOf = (text: string, name: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1),
  );

test('the metrics count answers that did not arrive, until somebody has handled them', async () => {
  await desk.inState('sent');
  const [failed] = [await desk.inState('failed'), await desk.inState('failed')];
  await desk.inState('uncertain');
  const before = await metrics();
  expect(before).toContain('kontor_answers_undelivered{status="failed"} 2');
  expect(before).toContain('kontor_answers_undelivered{status="uncertain"} 1');
  expect(before).toContain('kontor_answers_undelivered{status="bounced"} 0');
  expect((await desk.steer('handled', failed)).status).toBeLessThan(300);
  expect(await metrics()).toContain('kontor_answers_undelivered{status="failed"} 1');
});

test('the metrics tell how long the oldest due job waits', async () => {
  await house.drain();
  expect(numberOf(await metrics(), 'kontor_jobs_oldest_due_seconds')).toBe(0);
  await house.app.db.tx((tx) => enqueue(tx, 'house.sweep', {}));
  await house.app.db.tx((tx) =>
    tx.run(sql`update graphile_worker._private_jobs set run_at = now() - interval '10 minutes'`),
  );
  expect(numberOf(await metrics(), 'kontor_jobs_oldest_due_seconds')).toBeGreaterThanOrEqual(600);
});

test('the metrics tell how long the oldest received mail waits', async () => {
  await house.drain();
  expect(numberOf(await metrics(), 'kontor_pending_mail_oldest_seconds')).toBe(0);
  const receivedAt = new Date(Date.now() - 600_000);
  await storeRawMails(house.app, { ...sourceOf(house, owner), receivedAt }, [mailOf()]);
  expect(numberOf(await metrics(), 'kontor_pending_mail_oldest_seconds')).toBeGreaterThanOrEqual(600);
  await house.drain();
});

test('the metrics tell how much of each disk is free', async () => {
  await house.app.blobs.check();
  const text = await metrics();
  for (const folder of ['data', 'files']) {
    const free = numberOf(text, `kontor_disk_free_ratio{folder="${folder}"}`);
    expect(free).toBeGreaterThan(0);
    expect(free).toBeLessThan(1);
  }
});

test('the metrics tell when the last backup was taken', async () => {
  expect(numberOf(await metrics(), 'kontor_last_backup_timestamp_seconds')).toBe(0);
  const takenAt = ['2026-11-02T03:00:00.000Z', '2026-11-03T03:00:00.000Z', '2026-11-01T03:00:00.000Z'];
  for (const each of takenAt) await noteBackup(house.app.db, each);
  expect(numberOf(await metrics(), 'kontor_last_backup_timestamp_seconds')).toBe(
    Date.parse('2026-11-03T03:00:00Z') / 1e3,
  );
});

test('only the last hundred backups are kept in mind', async () => {
  for (let minute = 0; minute < 105; minute++)
    await noteBackup(house.app.db, new Date(Date.UTC(2026, 10, 4, 0, minute)).toISOString());
  const { count } = await house.app.db.one<{ count: number }>(sql`select count(*) as count from backups`);
  expect(count).toBe(100);
});

import { statfs } from 'node:fs/promises';
import { Gauge, type Registry } from 'prom-client';
import type { Db } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Config } from '../../ground/settings/config.ts';
import { gauge } from './gauge.ts';

/** Gauges of the conditions that need a person sooner or later. Only one of several processes exports them. */
export function houseGauges(register: Registry, db: Db, config: Pick<Config, 'dataDir' | 'storage'>): void {
  diskGauge(register, config);
  problemGauge(register, db);
  pendingGauge(register, db);
  backupGauge(register, db);
}

function diskGauge(register: Registry, { dataDir, storage }: Pick<Config, 'dataDir' | 'storage'>): void {
  const folders = { data: dataDir, ...(storage.kind === 'disk' && { files: storage.root }) };
  new Gauge({
    name: 'kontor_disk_free_ratio',
    help: 'Free share of the disk of each folder that the service writes to',
    labelNames: ['folder'] as const,
    registers: [register],
    async collect() {
      this.reset();
      for (const [folder, path] of Object.entries(folders)) {
        // The folder for files may be missing until the first upload. Some network file systems report no sizes.
        const { bavail, blocks } = await statfs(path).catch(() => ({ bavail: 0, blocks: 0 }));
        if (blocks > 0) this.set({ folder }, bavail / blocks);
      }
    },
  });
}

function problemGauge(register: Registry, db: Db): void {
  new Gauge({
    name: 'kontor_answers_undelivered',
    help: 'Answers that did not arrive, or may not have left, and that nobody has handled',
    labelNames: ['status'] as const,
    registers: [register],
    async collect() {
      const rows = await db
        .rows<{ status: string; count: number }>(sql`
          select s.status, count(m.id) as count
          from unnest(array['failed', 'bounced', 'uncertain']) s (status)
          left join messages m on m.delivery_status = s.status and m.delivery_handled_at is null
            and m.delivery_status in ('failed', 'bounced', 'uncertain')
          group by s.status
          limit 3`)
        .catch(() => []);
      this.reset();
      for (const { status, count } of rows) this.set({ status }, count);
    },
  });
}

function pendingGauge(register: Registry, db: Db): void {
  gauge(
    register,
    'kontor_pending_mail_oldest_seconds',
    'How long the oldest received mail has waited to become a message',
    async () => {
      const { seconds } = await db.one<{ seconds: number }>(sql`
        select coalesce(extract(epoch from now() - min(received_at)), 0)::float8 as seconds
        from raw_mails
        where state = 'pending' and source <> 'import'`);
      return seconds;
    },
  );
}

function backupGauge(register: Registry, db: Db): void {
  gauge(
    register,
    'kontor_last_backup_timestamp_seconds',
    'When the last backup was taken by this command, as Unix time; 0: never',
    async () => {
      const { takenAt } = await db.one<{ takenAt: number }>(sql`
        select coalesce(extract(epoch from max(taken_at)), 0)::float8 as "takenAt" from backups`);
      return takenAt;
    },
  );
}

import { Gauge, type Registry } from 'prom-client';
import type { Db } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { gauge } from './gauge.ts';
import { sharedAnswer } from './shared-answer.ts';

type Jobs = Record<'due' | 'waiting' | 'running' | 'failed', number> & { oldestDueSeconds: number };

/** Gauges over the job queue. Only one of several processes exports them. */
export function queueGauges(register: Registry, db: Db): void {
  const jobs = sharedAnswer(() => readJobs(db));
  new Gauge({
    name: 'kontor_jobs',
    help: 'Jobs by state: due now, waiting for their time or a retry, running, given up',
    labelNames: ['state'] as const,
    registers: [register],
    async collect() {
      const { oldestDueSeconds: _age, ...counts } = (await jobs()) ?? {};
      this.reset();
      for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
    },
  });
  gauge(
    register,
    'kontor_jobs_oldest_due_seconds',
    'How long the oldest due job has waited for a worker',
    async () => (await jobs())?.oldestDueSeconds,
  );
}

function readJobs(db: Db): Promise<Jobs> {
  return db.one<Jobs>(sql`
    select count(*) filter (where locked_at is null and attempts < max_attempts and run_at <= now()) as due,
      count(*) filter (where locked_at is null and attempts < max_attempts and run_at > now()) as waiting,
      count(*) filter (where locked_at is not null) as running,
      count(*) filter (where locked_at is null and attempts >= max_attempts) as failed,
      coalesce(extract(epoch from now() - min(run_at)
        filter (where locked_at is null and attempts < max_attempts and run_at <= now())), 0)::float8
        as "oldestDueSeconds"
    from graphile_worker.jobs`);
}

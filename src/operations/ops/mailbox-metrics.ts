import { Gauge, type Registry } from 'prom-client';
import type { Db } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { gauge } from './gauge.ts';
import { sharedAnswer } from './shared-answer.ts';

type Numbers = {
  statuses: { status: string; count: number }[];
  sendErrors: number;
  oldestSyncSeconds: number;
  stuckMails: number;
  missedMails: number;
};

/** Gauges over the connected mailboxes of all workspaces. Only one of several processes exports them. */
export function mailboxGauges(register: Registry, db: Db): void {
  const numbers = sharedAnswer(() => readNumbers(db));
  new Gauge({
    name: 'kontor_mailboxes',
    help: 'Connected mailboxes by sync status',
    labelNames: ['status'] as const,
    registers: [register],
    async collect() {
      const { statuses = [] } = (await numbers()) ?? {};
      this.reset();
      for (const { status, count } of statuses) this.set({ status }, count);
    },
  });
  for (const [name, { help, read }] of Object.entries(gauges))
    gauge(register, name, help, async () => {
      const answer = await numbers();
      return answer && read(answer);
    });
}

const gauges: Record<string, { help: string; read: (numbers: Numbers) => number }> = {
  kontor_mailboxes_send_error: {
    help: 'Mailboxes whose answers the provider refuses',
    read: ({ sendErrors }) => sendErrors,
  },
  kontor_mailbox_oldest_sync_seconds: {
    help: 'The longest time since an active mailbox was last read completely',
    read: ({ oldestSyncSeconds }) => oldestSyncSeconds,
  },
  kontor_mailbox_stuck_mails: {
    help: 'Mails that a provider lists but fails to deliver; the service retries them',
    read: ({ stuckMails }) => stuckMails,
  },
  kontor_mailbox_missed_mails: {
    help: 'Mails that a provider did not list as new; the service found them by comparing',
    read: ({ missedMails }) => missedMails,
  },
};

function readNumbers(db: Db): Promise<Numbers> {
  return db.one<Numbers>(sql`
    select
      coalesce((
        select json_agg(json_build_object('status', s.status, 'count', s.count))
        from (select status, count(*) as count from mailboxes where status <> 'disconnected' group by status) s
      ), '[]') as statuses,
      (select count(*) from mailboxes where send_status = 'error' and status <> 'disconnected') as "sendErrors",
      coalesce((
        select extract(epoch from max(now() - coalesce(s.synced_at, m.connected_at)))
        from mailboxes m
        join mailbox_syncs s on s.workspace_id = m.workspace_id and s.mailbox_id = m.id
        where m.status in ('active', 'error')
      ), 0)::float8 as "oldestSyncSeconds",
      (select count(*) from mailbox_stuck_mails where fault is not null) as "stuckMails",
      (select coalesce(sum(missed_mails), 0) from mailbox_syncs)::float8 as "missedMails"`);
}

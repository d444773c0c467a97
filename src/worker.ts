import { accountSweeps } from './accounts/sweep.ts';
import type { App } from './app.ts';
import { listUnfinishedChanges, workOnBulkChange } from './bulk/run-bulk-change.ts';
import { sweepBulkChanges, sweepBulkTickets } from './bulk/sweep.ts';
import { sweepAll } from './database/sweep.ts';
import { requeueLostDeliveries } from './deliveries/requeue-lost.ts';
import { resendWaiting } from './deliveries/resend-waiting.ts';
import { handBackRest } from './departures/depart.ts';
import { erasePerson, listUnfinished } from './erasures/erase-person.ts';
import { sweepRemoteImages } from './files/keep-image.ts';
import { sweepReservations } from './files/reserve-storage.ts';
import { forgetStorage } from './files/storage-quota.ts';
import { removeLooseBlobs, sweepUnusedUploads } from './files/sweep.ts';
import { sweepIdempotentAnswers } from './http/idempotency.ts';
import { clearDeliveries } from './integrations/clear-deliveries.ts';
import { deliverToWebhook } from './integrations/deliver.ts';
import { listDueWebhooks } from './integrations/list-due.ts';
import { resealWebhooks } from './integrations/sealed-keys.ts';
import { sweepDeliveries } from './integrations/sweep.ts';
import type { MessageId } from './lib/ids.ts';
import { listUnstopped, stopMailbox } from './mailboxes/stop-mailbox.ts';
import { sweepMailboxes } from './mailboxes/sweep.ts';
import { watchMailbox } from './mailboxes/watch-mailbox.ts';
import { listDueWatches } from './mailboxes/watches.ts';
import { listDueImports } from './mailflow/import/import-lease.ts';
import { workOnImport } from './mailflow/import/run-import.ts';
import { sweepImports } from './mailflow/import/sweep.ts';
import { ingestPending, listPending } from './mailflow/ingest-pending.ts';
import { deliverMail } from './mailflow/sending/deliver.ts';
import { fileCopy, listUnfiled } from './mailflow/sending/file-copy.ts';
import { sendSystemMail } from './mailflow/sending/system-mail.ts';
import { listDueMailboxes } from './mailflow/sync/sync-lease.ts';
import { syncMailbox } from './mailflow/sync/sync-mailbox.ts';
import { mailDigests } from './notifications/mail-digests.ts';
import { answerAsCustomer } from './onboarding/answer-sample.ts';
import { moveRestOfContact } from './people/merge-contacts.ts';
import { refreshAllOfContact } from './people/rename-contact.ts';
import { type DueKind, drainDueWork } from './queue/due-work.ts';
import { type CronEntry, drainQueue, type JobHandlers, type Lane } from './queue/queue.ts';
import { sweepReplyUses } from './replies/use.ts';
import { listDueSnoozes, wakeTicket } from './tickets/snooze.ts';
import { summariseTickets } from './tickets/summary.ts';
import { purgeExpired } from './trash/purge.ts';

/** Job name → handler, on one page. */
export function jobHandlers(app: App): JobHandlers {
  return {
    'house.sweep': () => sweepHouse(app),
    'system-mail.send': (payload) => sendSystemMail(app, payload),
    'member.depart': (departure) => handBackRest(app.db, departure),
    'contact.move': (contact) => moveRestOfContact(app.db, contact),
    'contact.refresh': (contact) => refreshAllOfContact(app.db, contact),
    'notifications.mail': () => mailDigests(app),
    'sample.answer': (answer) => app.db.tx((tx) => answerAsCustomer(tx, answer)),
    'mail.deliver': (payload, attempt) => deliverMail(app, payload, attempt),
    'mailbox.resend': (mailbox) => resendWaiting(app.db, mailbox),
    'mailbox.sweep': () => sweepMailboxes(app),
    'webhook.clear': (webhook) => clearDeliveries(app, webhook),
  };
}

/** Work whose rows tell when they are due. */
export function dueKinds(app: App): readonly DueKind[] {
  return [
    {
      name: 'mailbox.sync',
      places: 10,
      list: listDueMailboxes,
      work: ({ workspaceId, id: mailboxId }) => syncMailbox(app, { workspaceId, mailboxId }),
    },
    {
      name: 'mailbox.watch',
      places: 5,
      list: (db, scope) => listDueWatches(app.config, db, scope),
      work: ({ workspaceId, id: mailboxId }) => watchMailbox(app, { workspaceId, mailboxId }),
    },
    {
      name: 'mailbox.stop',
      places: 5,
      list: listUnstopped,
      work: ({ workspaceId, id: mailboxId }) => stopMailbox(app, { workspaceId, mailboxId }),
    },
    {
      name: 'mail.ingest',
      places: 10,
      list: listPending,
      work: ingestPending(app),
    },
    {
      name: 'mail.file-copy',
      places: 5,
      list: listUnfiled,
      work: ({ workspaceId, id: messageId }) => fileCopy(app, { workspaceId, messageId: messageId as MessageId }),
    },
    {
      name: 'contact.erase',
      places: 2,
      list: listUnfinished,
      work: async ({ workspaceId, id }) => {
        await erasePerson({ db: app.db, authSecret: app.config.authSecret }, { workspaceId, id });
        // Open pages show tickets that are gone, and no event is left to tell of them.
        app.live.signal({ workspaceId, userId: null, event: 'reset', data: {} });
      },
    },
    {
      name: 'tickets.change',
      places: 2,
      list: listUnfinishedChanges,
      work: (key) => workOnBulkChange(app.db, key),
    },
    {
      name: 'mail.import',
      // Each may use two connections at once.
      places: 2,
      list: listDueImports,
      work: (key, stopping) => workOnImport(app, key, stopping),
    },
    {
      name: 'ticket.wake',
      places: 5,
      list: listDueSnoozes,
      work: ({ workspaceId, id: ticketId }) => app.db.tx((tx) => wakeTicket(tx, { workspaceId, ticketId })),
    },
    {
      name: 'webhook.deliver',
      places: 20,
      list: listDueWebhooks,
      work: ({ workspaceId, id: webhookId }) => deliverToWebhook(app, { workspaceId, webhookId }),
    },
  ];
}

/** Runs everything that is due, then returns. For tests and one-off commands. */
export async function drain(app: App): Promise<void> {
  const { db, log } = app;
  const handlers = jobHandlers(app);
  await drainQueue({ db, log, handlers });
  for (const kind of dueKinds(app)) if ((await drainDueWork(app, kind)) > 0) await drainQueue({ db, log, handlers });
}

async function sweepHouse(app: App): Promise<void> {
  try {
    const uncounted = app.config.storageBytesMax === 0 ? [forgetStorage] : [];
    await sweepAll(app.db, [
      sweepIdempotentAnswers,
      ...accountSweeps,
      sweepReservations,
      sweepUnusedUploads,
      sweepRemoteImages,
      sweepReplyUses,
      sweepBulkTickets,
      sweepBulkChanges,
      sweepImports,
      sweepDeliveries,
      requeueLostDeliveries,
      ...uncounted,
    ]);
    await resealWebhooks(app.db, app.seal);
    await summariseTickets(app.db);
    await purgeExpired(app);
  } finally {
    await removeLooseBlobs(app);
  }
}

/** The jobs that run on a schedule. */
export const crontab: readonly CronEntry[] = [
  { match: '17 * * * *', job: 'house.sweep' },
  { match: '* * * * *', job: 'notifications.mail' },
  { match: '*/3 * * * *', job: 'mailbox.sweep' },
];

/**
 * Jobs that wait for other servers, or may come in large numbers, have their own workers. So a password reset never
 * waits behind answers, and incoming mail never waits for a slow mail server.
 */
export const lanes: readonly Lane[] = [
  { jobs: ['mail.deliver'], concurrency: 10 },
  { jobs: ['system-mail.send'], concurrency: 2 },
];
/** Workers for all other jobs, which wait only for the database. */
export const otherJobsAtOnce = 5;

import { accountSweeps } from './access/accounts/sweep.ts';
import type { App } from './app.ts';
import { sweepMachineMails } from './automation/machine-mail/log.ts';
import { listDueReaders } from './automation/rules/list-due.ts';
import { runOnNews } from './automation/rules/read-facts.ts';
import { listDueTimers, workOnTimers } from './automation/rules/run-timers.ts';
import { sweepRuns, sweepTimers } from './automation/rules/sweep.ts';
import { askAfterClose } from './automation/surveys/ask-after-close.ts';
import { listDueSurveys } from './automation/surveys/plan-survey.ts';
import { tellOfJoin } from './events/activity/tell-of-join.ts';
import { clearDeliveries } from './events/integrations/clear-deliveries.ts';
import { deliverToWebhook } from './events/integrations/deliver.ts';
import { listDueWebhooks } from './events/integrations/list-due.ts';
import { resealWebhooks } from './events/integrations/sealed-keys.ts';
import { sweepDeliveries } from './events/integrations/sweep.ts';
import { sweepGathered } from './events/notifications/gathered-count.ts';
import { mailDigests } from './events/notifications/mail-digests.ts';
import { listDuePushes, sendPush } from './events/notifications/push/push-due.ts';
import { sweepAll } from './ground/database/sweep.ts';
import { sweepIdempotentAnswers } from './ground/http/idempotency.ts';
import type { MessageId, TicketId } from './ground/lib/ids.ts';
import { type DueKind, drainDueWork } from './ground/queue/due-work.ts';
import { type CronEntry, drainQueue, type JobHandlers, type Lane } from './ground/queue/queue.ts';
import { handBackRest } from './helpdesk/departures/depart.ts';
import { erasePerson, listUnfinished } from './helpdesk/erasures/erase-person.ts';
import { sweepRemoteImages } from './helpdesk/files/keep-image.ts';
import { sweepReservations } from './helpdesk/files/reserve-storage.ts';
import { forgetStorage } from './helpdesk/files/storage-quota.ts';
import { removeLooseBlobs, sweepUnusedUploads } from './helpdesk/files/sweep.ts';
import { indexWords, listUnindexed } from './helpdesk/messages/gather-words.ts';
import { moveRestOfContact } from './helpdesk/people/merge-contacts.ts';
import { refreshAllOfContact } from './helpdesk/people/rename-contact.ts';
import { sweepReplyUses } from './helpdesk/replies/use.ts';
import { listDueSnoozes, wakeTicket } from './helpdesk/tickets/snooze.ts';
import { summariseTickets } from './helpdesk/tickets/summary.ts';
import { purgeExpired } from './helpdesk/trash/purge.ts';
import { listUnfinishedChanges, workOnBulkChange } from './inbox/bulk/run-bulk-change.ts';
import { sweepBulkChanges, sweepBulkTickets } from './inbox/bulk/sweep.ts';
import { answerAsCustomer } from './inbox/onboarding/answer-sample.ts';
import { catchUp, listStaleReports } from './insight/reports/catch-up.ts';
import { listUnstopped, stopMailbox } from './mail/mailboxes/stop-mailbox.ts';
import { sweepMailboxes } from './mail/mailboxes/sweep.ts';
import { watchMailbox } from './mail/mailboxes/watch-mailbox.ts';
import { listDueWatches } from './mail/mailboxes/watches.ts';
import { requeueLostDeliveries } from './transport/deliveries/requeue-lost.ts';
import { resendWaiting } from './transport/deliveries/resend-waiting.ts';
import { listDueImports } from './transport/mailflow/import/import-lease.ts';
import { workOnImport } from './transport/mailflow/import/run-import.ts';
import { sweepImports } from './transport/mailflow/import/sweep.ts';
import { ingestPending, listPending } from './transport/mailflow/ingest-pending.ts';
import { deliverMail } from './transport/mailflow/sending/deliver.ts';
import { fileCopy, listUnfiled } from './transport/mailflow/sending/file-copy.ts';
import { sendSystemMail } from './transport/mailflow/sending/system-mail.ts';
import { listDueMailboxes } from './transport/mailflow/sync/sync-lease.ts';
import { syncMailbox } from './transport/mailflow/sync/sync-mailbox.ts';

/** Job name → handler, on one page. */
export function jobHandlers(app: App): JobHandlers {
  return {
    'house.sweep': () => sweepHouse(app),
    'system-mail.send': (payload) => sendSystemMail(app, payload),
    'member.depart': (departure) => handBackRest(app.db, departure),
    'contact.move': (contact) => moveRestOfContact(app.db, contact),
    'contact.refresh': (contact) => refreshAllOfContact(app.db, contact),
    'notifications.mail': () => mailDigests(app),
    'team.tell': (joined) => app.db.tx((tx) => tellOfJoin(tx, joined)),
    'sample.answer': (answer) => app.db.tx((tx) => answerAsCustomer(tx, answer)),
    'mail.deliver': (payload, attempt) => deliverMail(app, payload, attempt),
    'mailbox.resend': (mailbox) => resendWaiting(app.db, mailbox),
    'mailbox.sweep': () => sweepMailboxes(app),
    'webhook.clear': (webhook) => clearDeliveries(app, webhook),
  };
}

/** Work whose rows tell when they are due. */
export function dueKinds(app: App): readonly DueKind[] {
  return [...mailKinds(app), ...otherKinds(app)];
}

function mailKinds(app: App): readonly DueKind[] {
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
      name: 'mail.import',
      // Each may use two connections at once.
      places: 2,
      list: listDueImports,
      work: (key, stopping) => workOnImport(app, key, stopping),
    },
  ];
}

function otherKinds(app: App): readonly DueKind[] {
  return [
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
      name: 'ticket.wake',
      places: 5,
      list: listDueSnoozes,
      work: ({ workspaceId, id: ticketId }) => app.db.tx((tx) => wakeTicket(tx, { workspaceId, ticketId })),
    },
    {
      name: 'reports.read',
      places: 1,
      list: listStaleReports,
      work: async ({ workspaceId }) => void (await catchUp(app.db, workspaceId)),
    },
    {
      name: 'words.index',
      places: 2,
      list: listUnindexed,
      work: (row) => indexWords(app.db, row),
    },
    {
      name: 'webhook.deliver',
      places: 20,
      list: listDueWebhooks,
      work: ({ workspaceId, id: webhookId }) => deliverToWebhook(app, { workspaceId, webhookId }),
    },
    {
      name: 'rules.run',
      places: 5,
      list: listDueReaders,
      work: ({ workspaceId }) => runOnNews(app.db, workspaceId),
    },
    {
      name: 'rules.timers',
      places: 2,
      list: listDueTimers,
      work: ({ workspaceId }) => workOnTimers(app.db, workspaceId),
    },
    {
      name: 'survey.ask',
      places: 2,
      list: listDueSurveys,
      work: ({ workspaceId, id }) => app.db.tx((tx) => askAfterClose(tx, { workspaceId, ticketId: id as TicketId })),
    },
    {
      name: 'notification.push',
      places: 10,
      list: listDuePushes,
      work: (key) => sendPush(app, key),
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
      sweepRuns,
      sweepTimers,
      sweepGathered,
      sweepMachineMails,
      requeueLostDeliveries,
      ...uncounted,
    ]);
    await resealWebhooks(app.db, app.seal);
    // Reading the key seals it anew.
    await app.push.publicKey();
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

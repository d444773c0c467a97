import type { MailboxField } from './events.ts';

/** Every job and what it carries: ids, never data. `worker.ts` names the handler of each. */
export type Jobs = {
  /** Sends one system mail; the link's token is minted by the job, so no secret is ever stored. */
  'system-mail.send': SystemMail;
  /** Sends one agent's answer by e-mail. */
  'mail.deliver': { workspaceId: string; messageId: string };
  /** Has the answers sent now that wait for their mailbox, which is to be had again. */
  'mailbox.resend': { workspaceId: string; mailboxId: string };
  /** Takes in the live mails of a workspace that wait. */
  'mail.ingest': { workspaceId: string };
  /** Looks for such mails that have lost their job. */
  'mail.resume': Record<string, never>;
  /** Fetches what is new in a mailbox. */
  'mailbox.sync': { workspaceId: string; mailboxId: string };
  /** Makes sure that the provider tells us of a mailbox's mail: begins, renews or mends its watches. */
  'mailbox.watch': { workspaceId: string; mailboxId: string };
  /** Ends a disconnected mailbox's watches at the provider, and forgets its credentials. */
  'mailbox.stop': { workspaceId: string; mailboxId: string };
  /** Gives every mailbox a sync that has had none for some minutes, and a watch where one is about to lapse. */
  'mailbox.sweep': Record<string, never>;
  /** Makes deliveries of what happened in a workspace, for its webhooks. */
  'webhook.dispatch': { workspaceId: string };
  /** Sends the deliveries of a webhook that are due. */
  'webhook.deliver': { workspaceId: string; webhookId: string };
  /** Ends what waits for a webhook that is disabled, or the log of one that is gone, where it is long. */
  'webhook.clear': { workspaceId: string; webhookId: string };
  /** Looks for facts and deliveries whose job was lost. */
  'webhook.sweep': Record<string, never>;
  /** Has the digests mailed that are due. */
  'notifications.mail': Record<string, never>;
  /** Has the customer of a sample ticket reply to an answer. */
  'sample.answer': { workspaceId: string; messageId: string };
  /** Brings a snoozed ticket back when its time has come. */
  'ticket.wake': { workspaceId: string; ticketId: string };
  /** Hands back the tickets of a removed member who had many. */
  'member.depart': { workspaceId: string; userId: string; byUserId: string };
  /** Moves the tickets of whoever was merged into a contact. */
  'contact.move': { workspaceId: string; contactId: string };
  /** Has a contact's tickets found by its new name. */
  'contact.refresh': { workspaceId: string; contactId: string };
  /** Deletes stored idempotent answers and unused uploads after their day, ended sessions and spent tokens after their time. */
  'house.sweep': Record<string, never>;
};

export type SystemMail =
  | { kind: 'verify-email'; userId: string }
  | { kind: 'address-taken'; userId: string }
  | { kind: 'password-reset'; userId: string }
  /** To an address that the person wants, and to the one that they had. */
  | { kind: 'change-email'; userId: string; sessionId: string; email: string }
  | { kind: 'email-changed'; userId: string; email: string }
  | { kind: 'sign-in-changed'; userId: string; change: SignInChange }
  | { kind: 'invitation'; workspaceId: string; inviteId: string }
  /** Of what was unread and is marked as mailed at that instant. */
  | { kind: 'notification-digest'; workspaceId: string; userId: string; mailedAt: string }
  | {
      kind: 'mailbox-trouble';
      workspaceId: string;
      userId: string;
      mailboxId: string;
      field: MailboxField;
      status: string;
    }
  | { kind: 'webhook-disabled'; workspaceId: string; userId: string; origin: string; cause: WebhookEnd };

/** What a person is told of that a thief of their session or password might have done. */
export type SignInChange =
  | 'password'
  | 'second-factor-on'
  | 'second-factor-off'
  | 'recovery-codes'
  | 'recovery-code-used'
  | 'identity-linked'
  | 'identity-unlinked';

/** Why the service itself disabled a webhook: its receiver said that it is gone, or took nothing for a day. */
export type WebhookEnd = 'gone' | 'failing';

export type JobName = keyof Jobs;

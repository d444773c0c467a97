import type { ContactId, MessageId, TeamId, UserId, WorkspaceId } from '../lib/ids.ts';
import type { MailboxField } from './events.ts';

export type MailboxKey = { workspaceId: WorkspaceId; mailboxId: string };

/** Every job and its payload: ids of rows, and little else. `worker.ts` names the handler of each job. */
export type Jobs = {
  /** Sends one system mail. The job itself creates the link's token, so that the queue stores no secret. */
  'system-mail.send': SystemMail;
  /** Sends one answer by e-mail. */
  'mail.deliver': { workspaceId: WorkspaceId; messageId: MessageId };
  /** Queues the answers that waited for their mailbox, now that the mailbox works again. */
  'mailbox.resend': MailboxKey;
  /** Reminds of mailboxes that do not work. */
  'mailbox.sweep': Record<string, never>;
  /** Ends a disabled webhook's waiting deliveries, or deletes a deleted webhook's log, when there are many rows. */
  'webhook.clear': { workspaceId: WorkspaceId; webhookId: string };
  /** Queues the due notification digests. */
  'notifications.mail': Record<string, never>;
  /** Lets the customer of a sample ticket reply to an answer. */
  'sample.answer': { workspaceId: WorkspaceId; messageId: MessageId };
  /** Unassigns the tickets of a removed member who had many. */
  'member.depart': { workspaceId: WorkspaceId; userId: UserId; byUserId: UserId };
  /** Moves tickets to a contact from the contacts that were merged into it. */
  'contact.move': { workspaceId: WorkspaceId; contactId: ContactId };
  /** Updates the search index, so that a contact's tickets are found by its new name. */
  'contact.refresh': { workspaceId: WorkspaceId; contactId: ContactId };
  /** Tells who leads a team that an admin has put themselves into it. */
  'team.tell': { workspaceId: WorkspaceId; teamId: TeamId; userId: UserId };
  /** Deletes expired rows: stored idempotent responses, unused uploads, ended sessions, spent tokens and more. */
  'house.sweep': Record<string, never>;
};

export type SystemMail =
  | { kind: 'verify-email'; userId: UserId }
  | { kind: 'address-taken'; userId: UserId }
  | { kind: 'password-reset'; userId: UserId }
  /** `change-email` goes to the new address, `email-changed` to the old one. */
  | { kind: 'change-email'; userId: UserId; sessionId: string; email: string }
  | { kind: 'email-changed'; userId: UserId; email: string }
  | { kind: 'sign-in-changed'; userId: UserId; change: SignInChange }
  | { kind: 'invitation'; workspaceId: WorkspaceId; inviteId: string }
  /** Lists the notifications that were unread and marked as mailed at `mailedAt`. */
  | { kind: 'notification-digest'; workspaceId: WorkspaceId; userId: UserId; mailedAt: string }
  | {
      kind: 'mailbox-trouble';
      workspaceId: WorkspaceId;
      userId: UserId;
      mailboxId: string;
      field: MailboxField;
      status: string;
    }
  /** An admin, `memberId`, has put themselves into a team that the user leads. */
  | { kind: 'team-joined'; workspaceId: WorkspaceId; userId: UserId; teamId: TeamId; memberId: UserId }
  /** What an automatic reply says, to the member who tries it. */
  | {
      kind: 'reply-test';
      workspaceId: WorkspaceId;
      userId: UserId;
      autoReplyId: string;
      savedReplyId: string;
      mailboxId: string | null;
    }
  | { kind: 'webhook-disabled'; workspaceId: WorkspaceId; userId: UserId; origin: string; cause: WebhookEnd };

/**
 * Changes to sign-in that we report to the person, because a thief of their session or password might have made them.
 */
export type SignInChange =
  | 'password'
  | 'second-factor-on'
  | 'second-factor-off'
  | 'recovery-codes'
  | 'recovery-code-used'
  | 'identity-linked'
  | 'identity-unlinked';

/** Why the service disabled a webhook. `gone`: the receiver answered so. `failing`: it accepted nothing for a day. */
export type WebhookEnd = 'gone' | 'failing';

export type JobName = keyof Jobs;

import type { MailboxField } from './events.ts';
import type { WebhookEnd } from './jobs.ts';
import type { WhenAnswered } from './when-answered.ts';

/**
 * The types of audit log entries, with the details of each. Every entry also has actor, workspace, time and subject.
 */
export type AuditEvents = {
  'session.started': { sessionId: string; withCode: boolean };
  'session.ended': { sessionId: string; reason: 'signed_out' | 'ended' | 'reused' };
  'session.others_ended': { count: number };
  'password.refused': Record<string, never>;
  'password.changed': Record<string, never>;
  'password.reset': Record<string, never>;
  'email.changed': Change<string>;
  'second_factor.enabled': Record<string, never>;
  'second_factor.disabled': Record<string, never>;
  'second_factor.refused': Record<string, never>;
  'second_factor.recovery_code_used': Record<string, never>;
  'second_factor.recovery_codes_renewed': Record<string, never>;
  'identity.linked': { provider: string };
  'identity.unlinked': { provider: string };
  'identity.refused': { provider: string; reason: string };
  'workspace.created': { name: string };
  'workspace.changed': {
    name?: Change<string>;
    requireSecondFactor?: Change<boolean>;
    ownAddresses?: Change<string[]>;
    whenAnswered?: Change<WhenAnswered | null>;
  };
  'member.role_changed': Change<string>;
  'member.access_changed': Change<string>;
  'member.removed': { role: string };
  'member.left': { role: string };
  'invite.created': { email: string; role: string };
  'invite.resent': { email: string; role: string };
  'invite.revoked': { email: string; role: string };
  'invite.accepted': { email: string; role: string };
  'reports.changed': { changed: string[] };
  'team.created': { name: string; visibility: string };
  'team.changed': { name: string; changed: string[]; visibility: string };
  'team.deleted': { name: string };
  'team.member_added': { name: string; userId: string; isLead: boolean };
  'team.member_changed': { name: string; userId: string; isLead: boolean };
  'team.member_removed': { name: string; userId: string };
  /** The teams only for a key that sees no other tickets. */
  'key.created': { name: string; role: string; teamIds?: string[] };
  'key.changed': { name: string; changed: string[]; teamIds?: string[] };
  'key.revoked': { name: string; role: string };
  'mailbox.connected': { provider: string; address: string };
  'mailbox.changed': { changed: string[] };
  'mailbox.paused': Record<string, never>;
  'mailbox.resumed': Record<string, never>;
  'mailbox.automatic_mail_resumed': Record<string, never>;
  'mailbox.disconnected': { provider: string; address: string };
  'mailbox.status_changed': { field: MailboxField; from: string; to: string; reason: string | null };
  'mail.discarded': { reason: string | null; from: string | null; size: number };
  'import.started': { files: number; size: number };
  'import.stopped': Record<string, never>;
  'import.ended': { state: string; failure: string | null; imported: number; known: number; passedOver: number };
  'saved_reply.created': { name: string };
  'saved_reply.changed': { name: string; changed: string[] };
  'saved_reply.deleted': { name: string };
  'auto_reply.created': { name: string };
  'auto_reply.changed': { name: string; changed: string[] };
  'auto_reply.deleted': { name: string };
  'survey.created': { ask: string; isActive: boolean };
  'survey.changed': { ask: string; isActive: boolean; changed: string[] };
  'survey.deleted': { ask: string };
  'calendar.created': { name: string };
  'calendar.changed': { name: string; changed: string[] };
  'calendar.deleted': { name: string };
  'rule.created': { name: string };
  'rule.changed': { name: string; changed: string[] };
  'rule.deleted': { name: string };
  'rule.activated': { name: string };
  'rule.paused': { name: string; reason: string | null };
  'blocked_sender.added': { address: string };
  'blocked_sender.removed': { address: string };
  'contact.erased': { erasureId: string };
  'ticket.marked_spam': { ticketNumber: number };
  'ticket.trashed': { ticketNumber: number };
  'ticket.opened_by_owner': { ticketNumber: number };
  'ticket.purged': { ticketNumber: number; messages: number };
  'ticket.message_redacted': { ticketNumber: number; messageId: string; files: number; reason: string | null };
  'tickets.bulk_changed': { count: number };
  'tickets.bulk_stopped': Record<string, never>;
  'tickets.bulk_undone': Record<string, never>;
  'tag.renamed': { from: string; to: string; isMerged: boolean; count: number };
  'tag.deleted': { tag: string; count: number };
  'tag.coloured': { tag: string; colour: string | null };
  'webhook.created': { origin: string };
  'webhook.changed': { changed: string[] };
  'webhook.secret_rotated': Record<string, never>;
  'webhook.disabled': { origin: string; reason: WebhookEnd };
  'webhook.deleted': { origin: string };
};

type Change<Value> = { from: Value; to: Value };

export type AuditType = keyof AuditEvents;

/** The kind of record that the `subjectId` of each type identifies. */
export const auditSubjects = {
  'session.started': 'user',
  'session.ended': 'user',
  'session.others_ended': 'user',
  'password.refused': 'user',
  'password.changed': 'user',
  'password.reset': 'user',
  'email.changed': 'user',
  'second_factor.enabled': 'user',
  'second_factor.disabled': 'user',
  'second_factor.refused': 'user',
  'second_factor.recovery_code_used': 'user',
  'second_factor.recovery_codes_renewed': 'user',
  'identity.linked': 'user',
  'identity.unlinked': 'user',
  'identity.refused': 'user',
  'workspace.created': 'workspace',
  'workspace.changed': 'workspace',
  'member.role_changed': 'user',
  'member.access_changed': 'user',
  'member.removed': 'user',
  'member.left': 'user',
  'invite.created': 'invite',
  'invite.resent': 'invite',
  'invite.revoked': 'invite',
  'invite.accepted': 'invite',
  'reports.changed': 'workspace',
  'team.created': 'team',
  'team.changed': 'team',
  'team.deleted': 'team',
  'team.member_added': 'team',
  'team.member_changed': 'team',
  'team.member_removed': 'team',
  'key.created': 'key',
  'key.changed': 'key',
  'key.revoked': 'key',
  'mailbox.connected': 'mailbox',
  'mailbox.changed': 'mailbox',
  'mailbox.paused': 'mailbox',
  'mailbox.resumed': 'mailbox',
  'mailbox.automatic_mail_resumed': 'mailbox',
  'mailbox.disconnected': 'mailbox',
  'mailbox.status_changed': 'mailbox',
  'mail.discarded': 'mail',
  'import.started': 'import',
  'import.stopped': 'import',
  'import.ended': 'import',
  'saved_reply.created': 'saved_reply',
  'saved_reply.changed': 'saved_reply',
  'saved_reply.deleted': 'saved_reply',
  'auto_reply.created': 'auto_reply',
  'auto_reply.changed': 'auto_reply',
  'auto_reply.deleted': 'auto_reply',
  'survey.created': 'survey',
  'survey.changed': 'survey',
  'survey.deleted': 'survey',
  'calendar.created': 'calendar',
  'calendar.changed': 'calendar',
  'calendar.deleted': 'calendar',
  'rule.created': 'rule',
  'rule.changed': 'rule',
  'rule.deleted': 'rule',
  'rule.activated': 'rule',
  'rule.paused': 'rule',
  'blocked_sender.added': 'blocked_sender',
  'blocked_sender.removed': 'blocked_sender',
  'contact.erased': 'contact',
  'ticket.marked_spam': 'ticket',
  'ticket.trashed': 'ticket',
  'ticket.opened_by_owner': 'ticket',
  'ticket.purged': 'ticket',
  'ticket.message_redacted': 'ticket',
  'tickets.bulk_changed': 'bulk_change',
  'tickets.bulk_stopped': 'bulk_change',
  'tickets.bulk_undone': 'bulk_change',
  'tag.renamed': 'workspace',
  'tag.deleted': 'workspace',
  'tag.coloured': 'workspace',
  'webhook.created': 'webhook',
  'webhook.changed': 'webhook',
  'webhook.secret_rotated': 'webhook',
  'webhook.disabled': 'webhook',
  'webhook.deleted': 'webhook',
} as const satisfies Record<AuditType, string>;

/** Types about an account, which may belong to no workspace or to many. */
export type AccountAuditType = {
  [Type in AuditType]: Type extends `${AccountPrefix}.${string}` ? Type : never;
}[AuditType];
type AccountPrefix = 'session' | 'password' | 'email' | 'second_factor' | 'identity';

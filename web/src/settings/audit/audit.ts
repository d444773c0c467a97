import { infiniteQueryOptions } from '@tanstack/react-query';
import { inWorkspace } from '../../api/client.ts';
import { byCursor } from '../../api/pages.ts';
import type { components } from '../../api/schema.d.ts';
import { memberTimeZone } from '../../lib/dates.ts';
import { instantOf } from '../../lib/zoned-time.ts';

export type AuditEntry = components['schemas']['AuditEntry'];
type AuditType = AuditEntry['type'];

/** The kinds by which people filter, and the first words of their types. */
const prefixes = {
  accounts: ['session', 'password', 'email', 'second_factor', 'identity'],
  members: ['member', 'invite', 'team'],
  workspace: ['workspace', 'tag', 'blocked_sender', 'reports'],
  keys: ['key'],
  mailboxes: ['mailbox', 'mail', 'import'],
  replies: ['saved_reply', 'auto_reply', 'survey'],
  hours: ['calendar'],
  rules: ['rule'],
  contacts: ['contact'],
  tickets: ['ticket', 'tickets'],
  webhooks: ['webhook'],
} as const;
export type AuditKind = keyof typeof prefixes;
export const auditKinds = Object.keys(prefixes) as AuditKind[];

/** The days are `2026-01-31`; an empty text is no limit. */
export type AuditFilter = { actor: string; kind: AuditKind | ''; from: string; until: string };

/** Every type; tsc fails if a type is missing. */
const types: Record<AuditType, true> = {
  'session.started': true,
  'session.ended': true,
  'session.others_ended': true,
  'password.refused': true,
  'password.changed': true,
  'password.reset': true,
  'email.changed': true,
  'second_factor.enabled': true,
  'second_factor.disabled': true,
  'second_factor.refused': true,
  'second_factor.recovery_code_used': true,
  'second_factor.recovery_codes_renewed': true,
  'identity.linked': true,
  'identity.unlinked': true,
  'identity.refused': true,
  'workspace.created': true,
  'workspace.changed': true,
  'member.role_changed': true,
  'member.access_changed': true,
  'member.removed': true,
  'member.left': true,
  'reports.changed': true,
  'team.created': true,
  'team.changed': true,
  'team.deleted': true,
  'team.member_added': true,
  'team.member_changed': true,
  'team.member_removed': true,
  'invite.created': true,
  'invite.resent': true,
  'invite.revoked': true,
  'invite.accepted': true,
  'key.created': true,
  'key.changed': true,
  'key.revoked': true,
  'mailbox.connected': true,
  'mailbox.changed': true,
  'mailbox.paused': true,
  'mailbox.resumed': true,
  'mailbox.automatic_mail_resumed': true,
  'mailbox.disconnected': true,
  'mailbox.status_changed': true,
  'mail.discarded': true,
  'import.started': true,
  'import.stopped': true,
  'import.ended': true,
  'saved_reply.created': true,
  'saved_reply.changed': true,
  'saved_reply.deleted': true,
  'auto_reply.created': true,
  'auto_reply.changed': true,
  'auto_reply.deleted': true,
  'survey.created': true,
  'survey.changed': true,
  'survey.deleted': true,
  'calendar.created': true,
  'calendar.changed': true,
  'calendar.deleted': true,
  'rule.created': true,
  'rule.changed': true,
  'rule.deleted': true,
  'rule.activated': true,
  'rule.paused': true,
  'blocked_sender.added': true,
  'blocked_sender.removed': true,
  'contact.erased': true,
  'ticket.marked_spam': true,
  'ticket.trashed': true,
  'ticket.opened_by_owner': true,
  'ticket.purged': true,
  'ticket.message_redacted': true,
  'tickets.bulk_changed': true,
  'tickets.bulk_stopped': true,
  'tickets.bulk_undone': true,
  'tag.renamed': true,
  'tag.deleted': true,
  'tag.coloured': true,
  'webhook.created': true,
  'webhook.changed': true,
  'webhook.secret_rotated': true,
  'webhook.disabled': true,
  'webhook.deleted': true,
};

export function typesOf(kind: AuditKind): AuditType[] {
  const firsts: readonly string[] = prefixes[kind];
  return (Object.keys(types) as AuditType[]).filter((type) => firsts.includes(type.split('.')[0] as string));
}

/** The start of a day in the member's time zone, or of a day after it. */
export function startOfDay(text: string, daysLater = 0): string {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return instantOf({ year, month, day: day + daysLater, hour: 0, minute: 0 }, memberTimeZone()).toISOString();
}

export function auditQuery(workspaceId: string, { actor, kind, from, until }: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ['workspace', workspaceId, 'audit', actor, kind, from, until],
    ...byCursor,
    queryFn: ({ pageParam: cursor }) =>
      inWorkspace(workspaceId).GET('/audit', {
        query: {
          ...(actor !== '' && { actor }),
          ...(kind !== '' && { type: typesOf(kind) }),
          ...(from !== '' && { from: startOfDay(from) }),
          ...(until !== '' && { to: startOfDay(until, 1) }),
          ...(cursor !== undefined && { cursor }),
        },
      }),
  });
}

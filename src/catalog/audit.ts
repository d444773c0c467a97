/** What the audit log keeps, and what an entry tells beside who, where, when and about what. */
export type AuditEvents = {
  'session.started': { sessionId: string; provider: string };
  'session.refused': { provider: string; reason: 'password' | 'second_factor' | 'email_not_verified' };
  'session.ended': { sessionId: string | null; reason: 'logout' | 'revoked' | 'reused' | 'password' };
  'password.changed': Record<string, never>;
  'password.reset': Record<string, never>;
  'second_factor.enabled': Record<string, never>;
  'second_factor.disabled': Record<string, never>;
  'second_factor.recovery_used': { codesLeft: number };
  'second_factor.recovery_renewed': Record<string, never>;
  'identity.linked': { provider: string };
  'identity.unlinked': { provider: string };
  'workspace.created': { name: string };
  'workspace.changed': { name?: Change<string>; requireSecondFactor?: Change<boolean> };
  'member.role_changed': Change<string>;
  'member.removed': { role: string };
  'member.left': { role: string };
  'invite.created': { email: string; role: string };
  'invite.resent': { email: string; role: string };
  'invite.revoked': { email: string; role: string };
  'invite.accepted': { email: string; role: string };
  'key.created': { name: string; role: string };
  'key.revoked': { name: string; role: string };
};

type Change<Value> = { from: Value; to: Value };

export type AuditType = keyof AuditEvents;

/** What the `subjectId` of each type is the id of. */
export const auditSubjects = {
  'session.started': 'user',
  'session.refused': 'user',
  'session.ended': 'user',
  'password.changed': 'user',
  'password.reset': 'user',
  'second_factor.enabled': 'user',
  'second_factor.disabled': 'user',
  'second_factor.recovery_used': 'user',
  'second_factor.recovery_renewed': 'user',
  'identity.linked': 'user',
  'identity.unlinked': 'user',
  'workspace.created': 'workspace',
  'workspace.changed': 'workspace',
  'member.role_changed': 'user',
  'member.removed': 'user',
  'member.left': 'user',
  'invite.created': 'invite',
  'invite.resent': 'invite',
  'invite.revoked': 'invite',
  'invite.accepted': 'invite',
  'key.created': 'key',
  'key.revoked': 'key',
} as const satisfies Record<AuditType, string>;

/** Types of what befalls an account, which is in no workspace or in many. */
export type AccountAuditType = {
  [Type in AuditType]: Type extends `${AccountPrefix}.${string}` ? Type : never;
}[AuditType];
type AccountPrefix = 'session' | 'password' | 'second_factor' | 'identity';

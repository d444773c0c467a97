/** Ordered from the most permissions to the fewest. */
export const roles = ['owner', 'admin', 'agent', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** The permissions that routes require, and the roles that have each. The gate and the OpenAPI text read this table. */
export const permissions = {
  'workspace.read': ['owner', 'admin', 'agent', 'viewer'],
  'workspace.manage': ['owner', 'admin'],
  'ticket.read': ['owner', 'admin', 'agent', 'viewer'],
  'ticket.write': ['owner', 'admin', 'agent'],
  'ticket.purge': ['owner'],
  'tag.manage': ['owner', 'admin'],
  'message.redact': ['owner', 'admin'],
  'contact.erase': ['owner'],
  'mailbox.read': ['owner', 'admin', 'agent', 'viewer'],
  'mailbox.manage': ['owner', 'admin'],
  'mail.import': ['owner', 'admin'],
  'member.read': ['owner', 'admin', 'agent', 'viewer'],
  'member.manage': ['owner', 'admin'],
  'team.manage': ['owner', 'admin'],
  'report.read': ['owner', 'admin', 'agent'],
  'member.leave': ['owner', 'admin', 'agent', 'viewer'],
  'notification.own': ['owner', 'admin', 'agent', 'viewer'],
  'key.manage': ['owner', 'admin'],
  'webhook.manage': ['owner', 'admin'],
  'rule.manage': ['owner', 'admin'],
  'audit.read': ['owner', 'admin'],
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof permissions;

/**
 * Permissions that no API key has, under any role. A leaked key must not create other keys, nor add or remove people,
 * nor delete anything for good. It must not create webhooks or rules either, because they would go on sending events
 * and mail after the key's revocation.
 */
const forPeopleAlone: readonly Permission[] = [
  'workspace.manage',
  'ticket.purge',
  'message.redact',
  'contact.erase',
  'member.manage',
  'team.manage',
  'member.leave',
  'key.manage',
  'webhook.manage',
  'rule.manage',
];

export function roleMay(role: Role, permission: Permission): boolean {
  return (permissions[permission] as readonly Role[]).includes(role);
}

export function keysMay(permission: Permission): boolean {
  return !forPeopleAlone.includes(permission);
}

/**
 * Whether each request checks the caller's access anew. Requests that grant or revoke access must not use the cache.
 */
export function isDecidedAnew(permission: Permission): boolean {
  return forPeopleAlone.includes(permission);
}

/** The role with fewer permissions. */
export function lesserRole(one: Role, other: Role): Role {
  return roles.indexOf(one) > roles.indexOf(other) ? one : other;
}

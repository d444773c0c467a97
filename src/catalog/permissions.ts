/** From the most that one may do to the least. */
export const roles = ['owner', 'admin', 'agent', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** What a route may ask for, and the roles that have it. The gate and the OpenAPI text read this table. */
export const permissions = {
  'workspace.read': ['owner', 'admin', 'agent', 'viewer'],
  'workspace.manage': ['owner', 'admin'],
  'ticket.read': ['owner', 'admin', 'agent', 'viewer'],
  'ticket.write': ['owner', 'admin', 'agent'],
  'mailbox.read': ['owner', 'admin', 'agent', 'viewer'],
  'mailbox.manage': ['owner', 'admin'],
  'member.read': ['owner', 'admin', 'agent', 'viewer'],
  'member.manage': ['owner', 'admin'],
  'member.leave': ['owner', 'admin', 'agent', 'viewer'],
  'notification.own': ['owner', 'admin', 'agent', 'viewer'],
  'key.manage': ['owner', 'admin'],
  'webhook.manage': ['owner', 'admin'],
  'audit.read': ['owner', 'admin'],
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof permissions;

/**
 * What no API key may do, whatever its role: a key that leaks must not make others, nor let anyone in or out, nor have what
 * happens sent to somebody who goes on listening when it is revoked.
 */
const forPeopleAlone: readonly Permission[] = [
  'workspace.manage',
  'member.manage',
  'member.leave',
  'key.manage',
  'webhook.manage',
];

export function roleMay(role: Role, permission: Permission): boolean {
  return (permissions[permission] as readonly Role[]).includes(role);
}

export function keysMay(permission: Permission): boolean {
  return !forPeopleAlone.includes(permission);
}

/** Whether each request looks anew at who asks: what takes or gives rights rests on nothing that was found out before. */
export function isDecidedAnew(permission: Permission): boolean {
  return forPeopleAlone.includes(permission);
}

/** The one of two that may do less. */
export function lesserRole(one: Role, other: Role): Role {
  return roles.indexOf(one) > roles.indexOf(other) ? one : other;
}

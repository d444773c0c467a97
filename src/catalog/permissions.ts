export const roles = ['owner', 'admin', 'agent', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** What a route may ask for, and the roles that have it. The gate and the OpenAPI text read this table. */
export const permissions = {
  'workspace.read': ['owner', 'admin', 'agent', 'viewer'],
  'ticket.read': ['owner', 'admin', 'agent', 'viewer'],
  'ticket.write': ['owner', 'admin', 'agent'],
  'member.read': ['owner', 'admin', 'agent', 'viewer'],
  'member.manage': ['owner', 'admin'],
  'notification.own': ['owner', 'admin', 'agent', 'viewer'],
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof permissions;

export function roleMay(role: Role, permission: Permission): boolean {
  return (permissions[permission] as readonly Role[]).includes(role);
}

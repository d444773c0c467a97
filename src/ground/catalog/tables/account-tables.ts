import { derived, flag, json, leftOut, type Table, text, time, uuid } from './table.ts';

export const accountTables = {
  users: {
    place: 'copied',
    columns: {
      id: uuid,
      email: text('team'),
      name: text('team'),
      email_key: derived('text'),
      email_verified_at: leftOut(time, 'who has the address shows it at each service'),
      password_hash: leftOut(text('none'), 'a secret'),
      verified_without_password: leftOut(flag, 'who has the address shows it at each service'),
      language: leftOut(text('none'), 'of the person rather than of the workspace'),
      preferences: leftOut(json('team'), 'of the person rather than of the workspace'),
      last_workspace_id: leftOut(uuid, 'of the person rather than of the workspace'),
      created_at: leftOut(time, 'the account is made by the import'),
    },
  },
  sessions: { place: 'coordinator', leftOut: 'secrets', columns: { ip: text('team'), user_agent: text('team') } },
  push_subscriptions: {
    place: 'coordinator',
    leftOut: 'secrets',
    columns: { endpoint: text('none'), p256dh: text('none'), auth: text('none') },
  },
  refresh_tokens: { place: 'coordinator', leftOut: 'secrets', columns: {} },
  link_tokens: { place: 'coordinator', leftOut: 'secrets', columns: { kind: text('none'), email: text('team') } },
  identities: {
    place: 'coordinator',
    leftOut: 'of people rather than of the workspace',
    columns: { provider: text('none'), issuer: text('none'), subject: text('none') },
  },
  second_factors: { place: 'coordinator', leftOut: 'secrets', columns: { sealed_secret: text('none') } },
  recovery_codes: { place: 'coordinator', leftOut: 'secrets', columns: {} },
  sign_in_challenges: { place: 'coordinator', leftOut: 'secrets', columns: {} },
  throttles: {
    place: 'coordinator',
    leftOut: 'a limit of each service',
    columns: { action: text('none'), subject: text('passing') },
  },
  password_failures: {
    place: 'coordinator',
    leftOut: 'a limit of each service',
    columns: { account_key: text('passing'), ip: text('passing') },
  },
  day_counts: { place: 'coordinator', leftOut: 'a limit of each service', columns: { subject: text('passing') } },
} as const satisfies Record<string, Table>;

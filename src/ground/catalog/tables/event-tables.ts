import { json, key, leftOut, place, type Table, text, texts, time, uuid } from './table.ts';

const ofPeople = 'of people rather than of the workspace';

export const eventTables = {
  activity: {
    place: 'workspace',
    columns: {
      workspace_id: place,
      ticket_id: place,
      id: key,
      type: text('none'),
      actor_type: text('none'),
      actor_user_id: uuid,
      data: json('json'),
      cause: json('none'),
      created_at: time,
      transaction_id: leftOut({ type: 'transaction' }, 'for streams and webhooks an import is past'),
    },
  },
  notifications: {
    place: 'workspace',
    leftOut: ofPeople,
    columns: { type: text('none'), title: text('text'), title_of_many: text('team') },
  },
  gathered_facts: { place: 'workspace', leftOut: 'counted for notifications', columns: { type: text('none') } },
  notification_preferences: {
    place: 'copied',
    leftOut: ofPeople,
    columns: { types: json('none'), digest: text('none') },
  },
  notification_digests: { place: 'workspace', leftOut: ofPeople, columns: {} },
  pushes: { place: 'workspace', leftOut: 'on their way for minutes', columns: {} },
  webhooks: {
    place: 'workspace',
    leftOut: 'secrets',
    columns: {
      url: text('team'),
      description: text('team'),
      events: texts('none'),
      status: text('none'),
      disabled_reason: text('none'),
      secret: text('none'),
      previous_secret: text('none'),
    },
  },
  webhook_deliveries: {
    place: 'workspace',
    leftOut: 'a log of webhooks',
    columns: { type: text('none'), payload: json('json'), status: text('none'), error: text('none') },
  },
} as const satisfies Record<string, Table>;

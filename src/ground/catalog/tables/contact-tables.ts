import { derived, flag, key, once, place, type Table, text, texts, time, uuid } from './table.ts';

export const contactTables = {
  contacts: {
    place: 'workspace',
    columns: {
      workspace_id: place,
      id: key,
      email: text('by hand'),
      name: text('by hand'),
      name_claim: text('by hand'),
      merged_into_id: uuid,
      shows_remote_images: flag,
      created_at: once(time),
      erased_at: time,
      email_key: derived('text'),
      search: derived('search'),
    },
  },
  mailed_recipients: {
    place: 'workspace',
    leftOut: 'a limit of each service',
    columns: { email_key: text('by hand') },
  },
  blocked_senders: {
    place: 'workspace',
    columns: {
      workspace_id: place,
      id: key,
      sender: text('by hand'),
      created_by: uuid,
      created_at: time,
      sender_key: derived('text'),
    },
  },
  erasures: {
    place: 'workspace',
    leftOut: 'proofs that each service keeps of its own',
    columns: { address_hashes: texts('none'), addresses: texts('by hand'), names: texts('by hand') },
  },
} as const satisfies Record<string, Table>;

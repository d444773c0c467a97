import { type Table, text } from './table.ts';

const ofService = 'of the service rather than of a workspace';

export const operationTables = {
  installation: { place: 'coordinator', leftOut: ofService, columns: { push_key: text('none') } },
  migrations: { place: 'coordinator', leftOut: ofService, columns: { name: text('none') } },
  backups: { place: 'coordinator', leftOut: ofService, columns: {} },
  restores: { place: 'coordinator', leftOut: ofService, columns: {} },
  imported_records: { place: 'workspace', leftOut: 'what came from imports', columns: { kind: text('none') } },
  worker_heartbeats: { place: 'coordinator', leftOut: ofService, columns: { worker_id: text('none') } },
  commit_marks: { place: 'coordinator', leftOut: ofService, columns: {} },
} as const satisfies Record<string, Table>;

import type { Jobs } from '../../ground/catalog/jobs.ts';
import type { Tx } from '../../ground/database/db.ts';
import { record } from './record.ts';

/** Records that an admin has put themselves into a team, so that those who lead it are told. */
export async function tellOfJoin(tx: Tx, { workspaceId, teamId, userId }: Jobs['team.tell']): Promise<void> {
  await record(tx, { workspaceId, userId }, { type: 'team.joined', data: { teamId, userId } });
}

import type { Queryable } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { UserId } from '../../../ground/lib/ids.ts';
import type { OwnIdentity } from '../schema.ts';

/** Nobody has this many; the limit bounds the query. */
const identitiesMax = 100;

/** The identities that sign in to a user's account, oldest first. An identity has a row for each of its subjects. */
export function listOwnIdentities(db: Queryable, userId: UserId): Promise<OwnIdentity[]> {
  return db.rows<OwnIdentity>(sql`
    select i.id, i.provider, i.issuer, min(i.linked_at) as "linkedAt"
    from identities i
    where i.user_id = ${userId}
    group by i.id, i.provider, i.issuer
    order by i.id
    limit ${identitiesMax}`);
}

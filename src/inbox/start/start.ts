import { getUser } from '../../access/accounts/queries.ts';
import { listTeams } from '../../access/teams/queries.ts';
import { readOwnPreferences } from '../../access/workspaces/own-preferences.ts';
import { getWorkspaceOf, listMembers, listWorkspaces } from '../../access/workspaces/queries.ts';
import { encodePosition } from '../../events/activity/position.ts';
import { countUnread } from '../../events/notifications/queries.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { keysMay, type Permission, permissions, roleMay } from '../../ground/catalog/permissions.ts';
import type { Scope } from '../../ground/catalog/scope.ts';
import { type Queryable, together } from '../../ground/database/db.ts';
import { readMoment } from '../../ground/database/moment.ts';
import { sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { listMailboxes } from '../../mail/mailboxes/queries.ts';
import { readSince } from '../stream/read-facts.ts';
import { countViews } from '../views/counts.ts';
import { listViews } from '../views/queries.ts';
import type { Start } from './schema.ts';

const membersMax = 1_000;
const tagsMax = 200;
/** A client's other reads may be up to this much older than this answer, so the stream starts earlier. */
const lookBackMs = 20_000;
/** How many of the newest tickets contribute their tags. */
const taggedMax = 1_000;

/** Reads everything that a member's inbox needs before its first list. */
export async function readStart(db: Queryable, actor: Actor, now: Date): Promise<Start> {
  const { workspaceId, userId } = actor;
  // Reads the position first, so that the stream delivers what happens while the rest is read. Uses the machine's time
  // instead of the app's clock, because ids contain the machine's time.
  const moment = await readMoment(db);
  const position = encodePosition(await readSince(db, workspaceId, moment, new Date(Date.now() - lookBackMs)));
  const views = listViews(db, actor);
  const ofWorkspace = listMailboxes(db, workspaceId);
  const teams = listTeams(db, actor);
  const [user, workspaces, workspace, preferences, members, ofActor, mailboxes, ofTeams, tags, counts, unread] =
    await together([
      getUser(db, userId),
      listWorkspaces(db, userId),
      getWorkspaceOf(db, actor),
      readOwnPreferences(db, userId),
      listMembers(db, actor, { limit: membersMax }),
      views,
      ofWorkspace,
      teams,
      listTags(db, actor),
      together([views, ofWorkspace, teams]).then(([known, listed, all]) => {
        const mailboxIds = listed.map(({ id }) => id);
        const teamIds = all.flatMap(({ id, archivedAt }) => (archivedAt === null ? [id] : []));
        return countViews(db, actor, { views: known, mailboxIds, teamIds, now, moment });
      }),
      countUnread(db, actor),
    ]);
  // An API key may see only its own workspace.
  const isShown = ({ id }: { id: WorkspaceId }): boolean => actor.keyId === null || id === workspaceId;
  const shown = {
    workspaces: workspaces.filter(isShown),
    preferences: {
      ...preferences,
      signatures: preferences.signatures.filter((signature) => isShown({ id: signature.workspaceId })),
    },
  };
  return {
    ...{ position, user, ...shown, workspace, permissions: permissionsOf(actor) },
    ...{ members: members.items, views: ofActor, mailboxes, teams: ofTeams, tags, counts },
    unreadNotifications: unread,
  };
}

function permissionsOf({ role, keyId }: Actor): Permission[] {
  const names = Object.keys(permissions) as Permission[];
  return names.filter((name) => roleMay(role, name) && (keyId === null || keysMay(name)));
}

/** Spells each tag as its newest ticket does. */
async function listTags(db: Queryable, scope: Scope): Promise<string[]> {
  const { workspaceId } = scope;
  const rows = await db.rows<{ tag: string }>(sql`
    select (array_agg(g.tag order by newest.place))[1] as tag
    from (
      select t.tags, t.tag_keys, row_number() over (order by t.last_message_at desc, t.id desc) as place
      from tickets t
      where t.workspace_id = ${workspaceId} and t.trashed_at is null and t.spam_at is null
        and ${visible(scope, 't')}
      order by t.last_message_at desc, t.id desc
      limit ${taggedMax}
    ) newest
    cross join lateral unnest(newest.tags, newest.tag_keys) g (tag, key)
    group by g.key
    order by count(*) desc, g.key
    limit ${tagsMax}`);
  return rows.map(({ tag }) => tag);
}

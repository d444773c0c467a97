import type { Actor } from '../../../ground/catalog/actor.ts';
import type { Queryable } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { isUuid } from '../../../ground/lib/ids.ts';
import { caseKey, nameKey } from '../../../ground/lib/text.ts';
import { isContactShown } from '../../../helpdesk/contacts/queries.ts';
import type { Reference } from '../references.ts';

type Kind = Reference['kind'];
type Named = { kind: Kind; id: string; name: string };

/** What rules name, by name and by id. */
export class Names {
  readonly #byId: Map<string, string>;
  readonly #byName: Map<string, Named[]>;

  constructor(all: readonly Named[]) {
    this.#byId = new Map(all.map(({ kind, id, name }) => [`${kind} ${id}`, name]));
    this.#byName = Map.groupBy(all, ({ kind, name }) => `${kind} ${nameKey(name)}`);
  }

  /** The name that leads back to the id, or else the id. A team called `none` would be no team. */
  nameOf(kind: Kind, id: string): string {
    const name = this.#byId.get(`${kind} ${id}`);
    return name !== undefined && nameKey(name) !== 'none' && this.idOf(kind, name) === id ? name : id;
  }

  /** Undefined where nothing has the name, or several have. */
  idOf(kind: Kind, name: string): string | undefined {
    const found = this.#byName.get(`${kind} ${nameKey(name)}`) ?? [];
    if (found.length === 1) return found[0]?.id;
    return isUuid(name) ? name : undefined;
  }
}

/** Reads all that a rule of the workspace may name; of the contacts only these, by id or address. */
export async function readNames(db: Queryable, actor: Actor, contacts: readonly string[]): Promise<Names> {
  const { workspaceId } = actor;
  const rows = await db.rows<Named>(sql`
    select 'mailbox' as kind, id, address as name from mailboxes
    where workspace_id = ${workspaceId} and status <> 'disconnected'
    union all
    select 'team', id, name from teams where workspace_id = ${workspaceId}
    union all
    select 'savedReply', id, name from saved_replies where workspace_id = ${workspaceId} and owner_id is null
    union all
    select 'webhook', id, description from webhooks where workspace_id = ${workspaceId} and description is not null
    union all
    select 'calendar', id, name from calendars where workspace_id = ${workspaceId}
    union all
    select 'member', m.user_id, u.email
    from members m
    join users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} and m.removed_at is null
    union all
    select 'contact', c.id, c.email
    from contacts c
    where c.workspace_id = ${workspaceId} and c.merged_into_id is null and ${isContactShown(actor)}
      and (c.id = any(${contacts.filter(isUuid)}::uuid[]) or c.email_key = any(${contacts.map(caseKey)}::text[]))`);
  return new Names(rows);
}

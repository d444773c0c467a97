import type { Static } from 'typebox';
import { createUser } from '../../access/accounts/create-user.ts';
import { addInboundAddress } from '../../access/workspaces/inbound-address.ts';
import { type Db, type Tx, together } from '../../ground/database/db.ts';
import { jsonOf, sql } from '../../ground/database/sql.ts';
import { importedColumns, importedValues, replacedColumns } from '../../ground/database/table-sql.ts';
import { sanitizeHtml } from '../../ground/lib/html/sanitize.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { contactSearchVector } from '../../helpdesk/contacts/search-words.ts';
import { type IdsHere, withIdsHere } from './ids-here.ts';
import { findImported, noteImported } from './imported-records.ts';
import { RefusedRecord } from './problems.ts';
import type { ReadRecord } from './read-export.ts';
import { rowOf, rowsOf } from './rows.ts';
import type { contactRecord, mailboxRecord, memberRecord, workspaceRecord } from './workspace-records.ts';

/** Makes the workspace of an import unless it is there, and sees that its tickets' numbers are never given again. */
export async function loadWorkspace(
  tx: Tx,
  workspaceId: WorkspaceId,
  workspace: Static<typeof workspaceRecord>,
): Promise<'new' | 'known'> {
  const { name, requireSecondFactor = false, lastTicketNumber, createdAt } = workspace;
  const { tagColours = [], ownAddresses = [], whenAnswered = null } = workspace;
  const made = await tx.run(sql`
    insert into workspaces (id, name, require_second_factor, tag_colours, own_addresses, when_answered, created_at)
    values (${workspaceId}, ${name}, ${requireSecondFactor}, ${JSON.stringify(tagColours)}::jsonb,
      ${ownAddresses}::text[], ${jsonOf(whenAnswered)}::jsonb, ${createdAt})
    on conflict (id) do nothing`);
  if (made > 0) await addInboundAddress(tx, workspaceId);
  await tx.run(sql`
    insert into ticket_counters (workspace_id, last_number) values (${workspaceId}, ${lastTicketNumber})
    on conflict (workspace_id) do update
    set last_number = greatest(ticket_counters.last_number, excluded.last_number)`);
  return made > 0 ? 'new' : 'known';
}

type Member = Static<typeof memberRecord>;

/**
 * Makes a member of the account with this address. An account that is made here has no password: its owner sets one by
 * a link that goes to the address. Who is a member already keeps role and state.
 */
export async function loadMember(
  tx: Tx,
  workspaceId: WorkspaceId,
  { content: member, hash }: ReadRecord<Member>,
): Promise<{ hereId: string; isNew: boolean }> {
  const imported = (await findImported(tx, workspaceId, 'member', [member.id])).get(member.id);
  if (imported !== undefined) return { hereId: imported.hereId, isNew: false };
  const hereId = await userFor(tx, member);
  const { role = null, access = null, signatureHtml = null, createdAt, removedAt = null } = member;
  const signature = signatureHtml === null ? null : sanitizeHtml(signatureHtml);
  const [made] = await together([
    role === null
      ? 0
      : tx.run(sql`
      insert into members (workspace_id, user_id, role, access, signature_html, created_at, removed_at)
      values (${workspaceId}, ${hereId}, ${role}, ${access ?? 'all'}, ${signature}, ${createdAt ?? tx.now},
        ${removedAt})
      on conflict (workspace_id, user_id) do nothing`),
    noteImported(tx, workspaceId, 'member', [{ id: member.id, hereId, hash }]),
  ]);
  tx.revokes();
  return { hereId, isNew: made > 0 };
}

async function userFor(tx: Tx, { id, email, name = null }: Member): Promise<string> {
  const known = await tx.maybe<{ id: string }>(sql`select id from users where email_key = ${caseKey(email)}`);
  if (known !== undefined) return known.id;
  const taken = await tx.maybe(sql`select from users where id = ${id}`);
  const made = await createUser(tx, {
    ...(taken === undefined && { id }),
    email,
    name,
    passwordHash: null,
    isVerified: false,
  });
  if (made === undefined) throw new RefusedRecord(`the address ${email} was taken meanwhile: import again`);
  return made;
}

type Mailbox = Static<typeof mailboxRecord>;

/** A mailbox without its credentials is disconnected, until somebody connects it again. */
export async function loadMailbox(
  tx: Tx,
  workspaceId: WorkspaceId,
  { content, hash }: ReadRecord<Mailbox>,
  ids: IdsHere,
): Promise<'new' | 'known'> {
  const mailbox = withIdsHere(content, ids);
  if ((await findImported(tx, workspaceId, 'mailbox', [mailbox.id])).size > 0) return 'known';
  const row = rowOf({ historyDays: 0, ...mailbox, addressKey: caseKey(mailbox.address) });
  const made = await tx.run(sql`
    insert into mailboxes (workspace_id, ${importedColumns('mailboxes')}, status, status_changed_at)
    select ${workspaceId}, ${importedValues('mailboxes', 'r')}, 'disconnected', ${tx.now}
    from json_populate_record(null::mailboxes, ${JSON.stringify(row)}::json) r
    on conflict (workspace_id, id) do nothing
    returning id`);
  if (made === 0) throw new RefusedRecord('a mailbox with this id is here already, and came from no import');
  await noteImported(tx, workspaceId, 'mailbox', [{ id: mailbox.id, hereId: mailbox.id, hash }]);
  return 'new';
}

type Contact = Static<typeof contactRecord>;
export type LoadedContacts = { new: number; updated: number; known: number };

/**
 * Loads contacts. If the workspace has a contact with the address already, that contact takes over and keeps its name.
 * A merged contact comes after the contact into which it was merged.
 * @param ids gets the contacts that have another id here
 * @param erased gets the contacts of persons who were erased here, and not where the export comes from
 */
export async function loadContacts(
  db: Db,
  workspaceId: WorkspaceId,
  contacts: readonly ReadRecord<Contact>[],
  { ids, erased, refuse }: { ids: IdsHere; erased: Set<string>; refuse: (line: number, error: unknown) => void },
): Promise<LoadedContacts> {
  const imported = await findImported(
    db,
    workspaceId,
    'contact',
    contacts.map(({ content }) => content.id),
  );
  const stubs = await db.rows<{ id: string }>(sql`
    select id from contacts
    where workspace_id = ${workspaceId} and erased_at is not null
      and id = any(${[...imported.values()].map(({ hereId }) => hereId)}::uuid[])`);
  const isStub = new Set(stubs.map(({ id }) => id));
  const loaded: LoadedContacts = { new: 0, updated: 0, known: 0 };
  const unknown: ReadRecord<Contact>[] = [];
  for (const contact of contacts) {
    const { id } = contact.content;
    const earlier = imported.get(id);
    if (earlier !== undefined && earlier.hereId !== id) ids.set(id, earlier.hereId);
    const isErasedHere = earlier !== undefined && isStub.has(earlier.hereId) && !contact.content.erasedAt;
    if (isErasedHere) erased.add(earlier.hereId);
    if (earlier === undefined) unknown.push(contact);
    else if (isErasedHere || earlier.hash === contact.hash.toString('hex') || earlier.hereId !== id) loaded.known += 1;
    else
      await db
        .tx((tx) => updateContact(tx, workspaceId, withIdsHere(contact.content, ids), contact.hash))
        .then(
          () => (loaded.updated += 1),
          (error) => refuse(contact.line, error),
        );
  }
  // Inserts all contacts at once. If that fails, inserts each alone to find the refused contacts.
  const insert = (some: readonly ReadRecord<Contact>[]) => db.tx((tx) => insertContacts(tx, workspaceId, some, ids));
  const inserted = await insert(unknown).catch((error) => error as unknown);
  if (typeof inserted === 'number') loaded.new += inserted;
  else
    for (const each of unknown)
      await insert([each]).then(
        (count) => (loaded.new += count),
        (error) => refuse(each.line, error),
      );
  loaded.known += unknown.length - loaded.new;
  return loaded;
}

async function insertContacts(
  tx: Tx,
  workspaceId: WorkspaceId,
  contacts: readonly ReadRecord<Contact>[],
  ids: IdsHere,
): Promise<number> {
  if (contacts.length === 0) return 0;
  const keyOf = ({ content }: ReadRecord<Contact>) => caseKey(content.email);
  const here = await tx.rows<{ id: string; key: string }>(sql`
    select id, email_key as key from contacts
    where workspace_id = ${workspaceId} and email_key = any(${contacts.map(keyOf)}::text[])`);
  const idByKey = new Map(here.map(({ id, key }) => [key, id]));
  const fresh = new Map(
    contacts.filter((each) => !idByKey.has(keyOf(each))).map((each) => [keyOf(each), each] as const),
  );
  for (const [key, { content }] of fresh) idByKey.set(key, content.id);
  for (const each of contacts) {
    const hereId = idByKey.get(keyOf(each)) ?? each.content.id;
    if (hereId !== each.content.id) ids.set(each.content.id, hereId);
  }
  const rows = [...fresh.values()].map(({ content }) => storable(workspaceId, withIdsHere(content, ids)));
  const made = await tx.run(sql`
    insert into contacts (workspace_id, ${importedColumns('contacts')})
    select ${workspaceId}, ${importedValues('contacts', 'r')}
    from json_populate_recordset(null::contacts, ${rowsOf(rows)}::json) r`);
  const noted = contacts.map(({ content: { id }, hash }) => ({ id, hereId: ids.get(id) ?? id, hash }));
  await noteImported(tx, workspaceId, 'contact', noted);
  return made;
}

async function updateContact(tx: Tx, workspaceId: WorkspaceId, contact: Contact, hash: Buffer): Promise<void> {
  const { id } = contact;
  await tx.run(sql`
    update contacts c
    set ${replacedColumns('contacts', 'r')}
    from json_populate_record(null::contacts, ${JSON.stringify(rowOf(storable(workspaceId, contact)))}::json) r
    where c.workspace_id = ${workspaceId} and c.id = r.id`);
  await noteImported(tx, workspaceId, 'contact', [{ id, hereId: id, hash }]);
}

function storable(workspaceId: WorkspaceId, contact: Contact): object {
  const { email, name = null } = contact;
  const search = contactSearchVector(workspaceId, { email, name });
  return { ...contact, emailKey: caseKey(email), search };
}

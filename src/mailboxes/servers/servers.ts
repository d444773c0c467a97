import type { MailboxKey } from '../../catalog/jobs.ts';
import type { Db, Queryable, Tx } from '../../database/db.ts';
import { sql } from '../../database/sql.ts';
import {
  type MailServer,
  ProviderFault,
  type SentCopyWay,
  type ServerAccess,
  type ServerEnd,
} from '../../mail/provider.ts';
import type { Seal } from '../../platform/seal.ts';
import { type CredentialsOwner, sealContext, unsealed } from '../credentials.ts';
import type { Mailbox } from '../queries.ts';

/** Saves the servers of a mailbox and its password, in place of former ones. */
export async function saveServer(
  tx: Tx,
  seal: Seal,
  { workspaceId, mailboxId }: MailboxKey,
  { imap, smtp, username, password, inboxPaths, sentPath, sentCopy }: MailServer,
): Promise<void> {
  const sealed = seal.seal(Buffer.from(password), sealContext({ workspaceId, id: mailboxId }));
  await tx.run(sql`
    insert into mailbox_servers (workspace_id, mailbox_id, imap_host, imap_port, imap_security, smtp_host, smtp_port,
      smtp_security, username, sealed_password, inbox_paths, sent_path, sent_copy)
    values (${workspaceId}, ${mailboxId}, ${imap.host}, ${imap.port}, ${imap.security}, ${smtp.host}, ${smtp.port},
      ${smtp.security}, ${username}, ${sealed}, ${inboxPaths}::text[], ${sentPath}, ${sentCopy})
    on conflict (workspace_id, mailbox_id) do update
    set imap_host = excluded.imap_host, imap_port = excluded.imap_port, imap_security = excluded.imap_security,
      smtp_host = excluded.smtp_host, smtp_port = excluded.smtp_port, smtp_security = excluded.smtp_security,
      username = excluded.username, sealed_password = excluded.sealed_password, inbox_paths = excluded.inbox_paths,
      sent_path = excluded.sent_path, sent_copy = excluded.sent_copy,
      -- Another server may file no copies.
      sent_copy_learned = case
        when mailbox_servers.smtp_host = excluded.smtp_host then mailbox_servers.sent_copy_learned
      end`);
}

type Parts = { db: Db; seal: Seal };

/** The servers of a mailbox, read when they are first needed. */
export function serverAccess(
  { db, seal }: Parts,
  mailbox: Pick<Mailbox, 'workspaceId' | 'id' | 'address'>,
  signal: AbortSignal | undefined,
): ServerAccess {
  let read: Promise<MailServer> | undefined;
  return {
    server: () => {
      read ??= readServer(db, seal, mailbox);
      return read;
    },
    learnSentCopy: (way) => db.tx((tx) => learnSentCopy(tx, mailbox, way)),
    ...(signal === undefined ? {} : { signal }),
  };
}

type ServerRow = {
  imapHost: string;
  imapPort: number;
  imapSecurity: ServerEnd['security'];
  smtpHost: string;
  smtpPort: number;
  smtpSecurity: ServerEnd['security'];
  username: string;
  sealedPassword: string;
  inboxPaths: string[];
  sentPath: string | null;
  sentCopy: SentCopyWay;
  sentCopyLearned: MailServer['sentCopyLearned'];
};

async function readServer(
  db: Queryable,
  seal: Seal,
  { workspaceId, id, address }: Pick<Mailbox, 'workspaceId' | 'id' | 'address'>,
): Promise<MailServer> {
  const row = await db.maybe<ServerRow>(sql`
    select imap_host as "imapHost", imap_port as "imapPort", imap_security as "imapSecurity", smtp_host as "smtpHost",
      smtp_port as "smtpPort", smtp_security as "smtpSecurity", username, sealed_password as "sealedPassword",
      inbox_paths as "inboxPaths", sent_path as "sentPath", sent_copy as "sentCopy",
      sent_copy_learned as "sentCopyLearned"
    from mailbox_servers
    where workspace_id = ${workspaceId} and mailbox_id = ${id}`);
  if (row === undefined)
    throw new ProviderFault('unauthorized', 'disconnected', 'The mailbox is disconnected: connect it again.');
  const { username, inboxPaths, sentPath, sentCopy, sentCopyLearned } = row;
  return {
    address,
    imap: { host: row.imapHost, port: row.imapPort, security: row.imapSecurity },
    smtp: { host: row.smtpHost, port: row.smtpPort, security: row.smtpSecurity },
    username,
    password: unsealed(seal, { workspaceId, id }, row.sealedPassword),
    inboxPaths,
    sentPath,
    sentCopy,
    sentCopyLearned,
  };
}

async function learnSentCopy(tx: Tx, { workspaceId, id }: CredentialsOwner, way: 'append' | 'server'): Promise<void> {
  await tx.run(sql`
    update mailbox_servers set sent_copy_learned = ${way} where workspace_id = ${workspaceId} and mailbox_id = ${id}`);
}

/** Seals a password with the first key. */
export async function resealPassword(tx: Tx, seal: Seal, { workspaceId, id }: CredentialsOwner): Promise<void> {
  const row = await tx.maybe<{ sealedPassword: string }>(sql`
    select sealed_password as "sealedPassword"
    from mailbox_servers
    where workspace_id = ${workspaceId} and mailbox_id = ${id}
    for no key update`);
  if (row === undefined) return;
  const context = sealContext({ workspaceId, id });
  const anew = seal.seal(seal.open(row.sealedPassword, context), context);
  await tx.run(sql`
    update mailbox_servers set sealed_password = ${anew}
    where workspace_id = ${workspaceId} and mailbox_id = ${id}`);
}

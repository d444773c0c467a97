import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import type { Db, Queryable, Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { Clock } from '../../../ground/lib/clock.ts';
import type { WorkspaceId } from '../../../ground/lib/ids.ts';
import { caseKey } from '../../../ground/lib/text.ts';
import type { PublicWeb } from '../../../ground/platform/public-web.ts';
import type { Seal } from '../../../ground/platform/seal.ts';
import type { AfterIntake, MailServer, SentCopyWay, ServerAccess, ServerEnd, ServerSecret } from '../../provider.ts';
import { ProviderFault } from '../../provider-fault.ts';
import { providerKeys } from '../../providers/registry.ts';
import { type CredentialsOwner, freshAccess, sealContext, unsealed } from '../credentials.ts';
import type { Mailbox } from '../queries.ts';
import { type TokenGrant, tokenEndpoint } from './token-endpoint.ts';

/** A server as the database keeps it. The tokens of a grant are in the row of the mailbox. */
export type SavedServer = Omit<MailServer, 'secret'> & { secret: { password: string } | { grant: TokenGrant } };

/** Saves the servers and the secret of a mailbox, in place of its former servers and secret. */
export async function saveServer(
  tx: Tx,
  seal: Seal,
  { workspaceId, mailboxId }: MailboxKey,
  { imap, smtp, username, secret, inboxPaths, sentPath, sentCopy, afterIntake, movePath }: SavedServer,
): Promise<void> {
  const sealed = (text: string) => seal.seal(Buffer.from(text), sealContext({ workspaceId, id: mailboxId }));
  const password = 'password' in secret ? sealed(secret.password) : null;
  const grant = 'grant' in secret ? secret.grant : null;
  const clientSecret = grant?.clientSecret == null ? null : sealed(grant.clientSecret);
  const former = await tx.maybe<{ inboxPaths: string[] }>(sql`
    select inbox_paths as "inboxPaths" from mailbox_servers
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}
    for update`);
  await tx.run(sql`
    insert into mailbox_servers (workspace_id, mailbox_id, imap_host, imap_port, imap_security, smtp_host, smtp_port,
      smtp_security, username, sealed_password, token_url, client_id, sealed_client_secret, token_scope, inbox_paths,
      sent_path, sent_copy, after_intake, move_path)
    values (${workspaceId}, ${mailboxId}, ${imap.host}, ${imap.port}, ${imap.security}, ${smtp.host}, ${smtp.port},
      ${smtp.security}, ${username}, ${password}, ${grant?.tokenUrl ?? null}, ${grant?.clientId ?? null},
      ${clientSecret}, ${grant?.scope ?? null}, ${withPlaces(former?.inboxPaths ?? [], inboxPaths)}::text[],
      ${sentPath}, ${sentCopy}, ${afterIntake}, ${movePath})
    on conflict (workspace_id, mailbox_id) do update
    set imap_host = excluded.imap_host, imap_port = excluded.imap_port, imap_security = excluded.imap_security,
      smtp_host = excluded.smtp_host, smtp_port = excluded.smtp_port, smtp_security = excluded.smtp_security,
      username = excluded.username, sealed_password = excluded.sealed_password, token_url = excluded.token_url,
      client_id = excluded.client_id, sealed_client_secret = excluded.sealed_client_secret,
      token_scope = excluded.token_scope, inbox_paths = excluded.inbox_paths, sent_path = excluded.sent_path,
      sent_copy = excluded.sent_copy, after_intake = excluded.after_intake, move_path = excluded.move_path,
      -- Another server may file no copies.
      sent_copy_learned = case
        when mailbox_servers.smtp_host = excluded.smtp_host then mailbox_servers.sent_copy_learned
      end`);
}

/** Ids of mails name a folder by its place: a folder that is no longer read leaves an empty place. */
export function withPlaces(former: readonly string[], wanted: readonly string[]): string[] {
  const kept = former.map((path) => (wanted.includes(path) ? path : ''));
  return [...kept, ...new Set(wanted.filter((path) => !kept.includes(path)))];
}

export type ServerParts = { db: Db; seal: Seal; clock: Clock; publicWeb: PublicWeb };
type AddressedMailbox = Pick<Mailbox, 'workspaceId' | 'id' | 'address' | 'delegateAddress'>;

/** A token is not used in its last minute. */
const spareMs = 60_000;

/** The servers of a mailbox, read when they are first needed, and again when a token ends. */
export function serverAccess(
  parts: ServerParts,
  mailbox: AddressedMailbox,
  signal: AbortSignal | undefined,
): ServerAccess {
  let read: { server: Promise<MailServer>; until: number } | undefined;
  const now = () => parts.clock.now().getTime();
  return {
    server: () => {
      if (read !== undefined && read.until > now()) return read.server;
      const reading = { until: Number.POSITIVE_INFINITY };
      const server = readServer(parts, mailbox, signal).then((kept) => {
        reading.until = kept.until;
        return kept.server;
      });
      read = Object.assign(reading, { server });
      return server;
    },
    learnSentCopy: (way) => parts.db.tx((tx) => learnSentCopy(tx, mailbox, way)),
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
  sealedPassword: string | null;
  tokenUrl: string | null;
  clientId: string | null;
  sealedClientSecret: string | null;
  tokenScope: string | null;
  inboxPaths: string[];
  sentPath: string | null;
  sentCopy: SentCopyWay;
  sentCopyLearned: MailServer['sentCopyLearned'];
} & AfterIntake;

/** `until`: when its secret ends. */
async function readServer(
  parts: ServerParts,
  mailbox: AddressedMailbox,
  signal: AbortSignal | undefined,
): Promise<{ server: MailServer; until: number }> {
  const row = await readRow(parts.db, mailbox);
  const { username, inboxPaths, sentPath, sentCopy, sentCopyLearned, afterIntake, movePath } = row;
  const { secret, until } = await secretOf(parts, mailbox, { row, signal });
  const server = {
    address: mailbox.address,
    imap: { host: row.imapHost, port: row.imapPort, security: row.imapSecurity },
    smtp: { host: row.smtpHost, port: row.smtpPort, security: row.smtpSecurity },
    username,
    secret,
    inboxPaths,
    sentPath,
    sentCopy,
    sentCopyLearned,
    afterIntake,
    movePath,
  };
  return { server, until };
}

/** The servers of the mailbox with this address, without its secret. */
export async function findSaved(db: Queryable, workspaceId: WorkspaceId, address: string) {
  const mailbox = await db.maybe<AddressedMailbox>(sql`
    select m.workspace_id as "workspaceId", m.id, m.address, m.delegate_address as "delegateAddress"
    from mailboxes m
    join mailbox_servers s on s.workspace_id = ${workspaceId} and s.mailbox_id = m.id
    where m.workspace_id = ${workspaceId} and m.address_key = ${caseKey(address)} and m.provider = ${providerKeys.imap}
      and m.status <> 'disconnected'`);
  if (mailbox === undefined) return undefined;
  const row = await readRow(db, mailbox);
  const { username, sentPath, sentCopy, afterIntake, movePath } = row;
  const inboxPaths = row.inboxPaths.filter((path) => path !== '');
  return {
    imap: { host: row.imapHost, port: row.imapPort, security: row.imapSecurity },
    smtp: { host: row.smtpHost, port: row.smtpPort, security: row.smtpSecurity },
    username,
    choices: { inboxPaths, sentCopy, afterIntake, movePath, ...(sentPath !== null && { sentPath }) },
  };
}

async function readRow(db: Queryable, { workspaceId, id }: AddressedMailbox): Promise<ServerRow> {
  const row = await db.maybe<ServerRow>(sql`
    select imap_host as "imapHost", imap_port as "imapPort", imap_security as "imapSecurity", smtp_host as "smtpHost",
      smtp_port as "smtpPort", smtp_security as "smtpSecurity", username, sealed_password as "sealedPassword",
      token_url as "tokenUrl", client_id as "clientId", sealed_client_secret as "sealedClientSecret",
      token_scope as "tokenScope", inbox_paths as "inboxPaths", sent_path as "sentPath", sent_copy as "sentCopy",
      sent_copy_learned as "sentCopyLearned", after_intake as "afterIntake", move_path as "movePath"
    from mailbox_servers
    where workspace_id = ${workspaceId} and mailbox_id = ${id}`);
  if (row !== undefined) return row;
  throw new ProviderFault('unauthorized', 'disconnected', 'The mailbox is disconnected: connect it again.');
}

async function secretOf(
  { publicWeb, ...parts }: ServerParts,
  mailbox: AddressedMailbox,
  { row, signal }: { row: ServerRow; signal: AbortSignal | undefined },
): Promise<{ secret: ServerSecret; until: number }> {
  const { sealedPassword, tokenUrl, clientId, sealedClientSecret, tokenScope: scope } = row;
  if (sealedPassword !== null)
    return {
      secret: { password: unsealed(parts.seal, mailbox, sealedPassword) },
      until: Number.POSITIVE_INFINITY,
    };
  const clientSecret = sealedClientSecret === null ? null : unsealed(parts.seal, mailbox, sealedClientSecret);
  const grant = { tokenUrl: tokenUrl ?? '', clientId: clientId ?? '', clientSecret, scope };
  const provider = tokenEndpoint(grant, publicWeb);
  const isGood = ({ expiresAt }: { expiresAt: Date }) => expiresAt.getTime() - parts.clock.now().getTime() > spareMs;
  const { token, expiresAt } = await freshAccess({ ...parts, provider, signal }, mailbox, isGood);
  return { secret: { accessToken: token }, until: expiresAt.getTime() - spareMs };
}

async function learnSentCopy(tx: Tx, { workspaceId, id }: CredentialsOwner, way: 'append' | 'server'): Promise<void> {
  await tx.run(sql`
    update mailbox_servers set sent_copy_learned = ${way} where workspace_id = ${workspaceId} and mailbox_id = ${id}`);
}

/** Seals the secrets with the first key. */
export async function resealSecrets(tx: Tx, seal: Seal, { workspaceId, id }: CredentialsOwner): Promise<void> {
  const row = await tx.maybe<{ password: string | null; clientSecret: string | null }>(sql`
    select sealed_password as password, sealed_client_secret as "clientSecret"
    from mailbox_servers
    where workspace_id = ${workspaceId} and mailbox_id = ${id}
    for no key update`);
  if (row === undefined) return;
  const context = sealContext({ workspaceId, id });
  const anew = (sealed: string | null) => (sealed === null ? null : seal.seal(seal.open(sealed, context), context));
  await tx.run(sql`
    update mailbox_servers
    set sealed_password = ${anew(row.password)}, sealed_client_secret = ${anew(row.clientSecret)}
    where workspace_id = ${workspaceId} and mailbox_id = ${id}`);
}

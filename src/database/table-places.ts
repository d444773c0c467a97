/**
 * Where a Citus cluster keeps a table (docs/scale.md).
 * - `workspace`: rows are spread by `workspace_id`; all rows of a workspace are on one node.
 * - `copied`: each node has a copy. Such a table is read with tables of a workspace, and seldom written, because Citus
 *   lets its writers wait for one another.
 * - `coordinator`: only the coordinator has it. No statement joins it with tables of a workspace.
 */
export type TablePlace = 'workspace' | 'copied' | 'coordinator';

const placeOf = {
  copied: ['users', 'workspaces', 'notification_preferences', 'inbound_addresses'],
  // `tickets` comes first: the other tables are put where its rows are.
  workspace: [
    'tickets',
    'activity',
    'api_keys',
    'attachments',
    'audit_log',
    'blocked_senders',
    'bulk_change_tickets',
    'bulk_changes',
    'contacts',
    'drafts',
    'erasures',
    'idempotent_answers',
    'imported_records',
    'ingest_leases',
    'invites',
    'loose_blobs',
    'mail_ids',
    'mail_import_files',
    'mail_imports',
    'mailbox_after_intake',
    'mailbox_listeners',
    'mailbox_mails',
    'mailbox_sends',
    'mailbox_servers',
    'mailbox_sign_ins',
    'mailbox_stuck_mails',
    'mailbox_syncs',
    'mailbox_watches',
    'mailboxes',
    'mailed_recipients',
    'members',
    'merged_messages',
    'messages',
    'notification_digests',
    'notifications',
    'raw_mails',
    'remote_images',
    'sample_tickets',
    'saved_reply_uses',
    'saved_replies',
    'storage_reservations',
    'ticket_counters',
    'ticket_followers',
    'ticket_merges',
    'ticket_participants',
    'unfiled_copies',
    'unread_tickets',
    'views',
    'webhook_deliveries',
    'webhooks',
    'workspace_storage',
  ],
  coordinator: [
    'backups',
    'commit_marks',
    'day_counts',
    'identities',
    'installation',
    'link_tokens',
    'mailbox_consents',
    'mailbox_routes',
    'migrations',
    'password_failures',
    'recovery_codes',
    'refresh_tokens',
    'restores',
    'second_factors',
    'sessions',
    'sign_in_challenges',
    'throttles',
    'worker_heartbeats',
  ],
} as const satisfies Record<TablePlace, readonly string[]>;

export const workspaceTables: readonly string[] = placeOf.workspace;
export const copiedTables: readonly string[] = placeOf.copied;
export const coordinatorTables: readonly string[] = placeOf.coordinator;

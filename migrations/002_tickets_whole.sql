-- Where mail for a workspace comes in, and the key that signs the plus tokens of its answers. Asked by address before the
-- workspace is known: like users, these rows belong to no workspace's data.
create table inbound_addresses (
  -- Lower case; the domain is the one of MAIL_FROM.
  local_part text primary key,
  workspace_id uuid not null unique references workspaces (id),
  reply_key bytea not null
);
insert into inbound_addresses (local_part, workspace_id, reply_key)
select 'inbox-' || substr(replace(gen_random_uuid()::text, '-', ''), 1, 12), id,
  uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
from workspaces;

-- What SMTP said beside the mail itself; empty for mail that came another way.
alter table raw_mails add column envelope_from text;
alter table raw_mails add column envelope_to text[] not null default '{}';

alter table messages
  -- Reply-To of the mail that came in.
  add column reply_to_addresses text[] not null default '{}',
  -- Delivered-To and the like: addresses of ours at which the mail arrived.
  add column delivered_to_addresses text[] not null default '{}',
  -- The mail's bytes are about to go to the mail server: from here on only its answer tells whether it left.
  add column handing_over_at timestamptz(3),
  -- When the row was written, by the database's one clock, under the lock of its ticket: the order in which messages came to
  -- be seen, which created_at (a mail's Date) is not. Null: before there was this column.
  add column arrived_at timestamptz;
alter table messages alter column arrived_at set default clock_timestamp();

create index messages_undelivered on messages (workspace_id, delivery_status, ticket_id)
  where delivery_status in ('queued', 'sending', 'failed', 'bounced', 'uncertain', 'cancelled');

-- Merges that stand; one that is undone is deleted. A ticket is merged away at most once at a time.
create table ticket_merges (
  workspace_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  target_id uuid not null,
  -- The source as it was, for unmerge.
  source_status text not null check (source_status in ('open', 'pending', 'closed')),
  source_archived_at timestamptz(3),
  source_snoozed_until timestamptz(3),
  -- Folded tags, and participants, that the target has by this merge alone.
  brought_tag_keys text[] not null default '{}',
  brought_contact_ids uuid[] not null default '{}',
  merged_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, source_id),
  foreign key (workspace_id, source_id) references tickets (workspace_id, id),
  foreign key (workspace_id, target_id) references tickets (workspace_id, id)
);
create index ticket_merges_target on ticket_merges (workspace_id, target_id);
-- Imports joined tickets before there were these rows; which messages came from where is not known any more.
insert into ticket_merges (workspace_id, id, source_id, target_id, source_status, merged_at)
select workspace_id, gen_random_uuid(), id, merged_into_id, 'open', updated_at
from tickets
where merged_into_id is not null;

-- Which messages a merge took along and an unmerge brings back. A split takes a message out of the merges that brought it.
create table merged_messages (
  workspace_id uuid not null,
  merge_id uuid not null,
  message_id uuid not null,
  primary key (workspace_id, merge_id, message_id),
  foreign key (workspace_id, merge_id) references ticket_merges (workspace_id, id) on delete cascade,
  foreign key (workspace_id, message_id) references messages (workspace_id, id)
);
create index merged_messages_message on merged_messages (workspace_id, message_id);

-- Uploads that no message took, oldest first, for the sweep; and whether a blob is still needed.
create index attachments_unused on attachments (created_at) where message_id is null;
create index attachments_blob on attachments (workspace_id, sha256);

-- Blobs that perhaps no attachment names: noted before an upload's bytes are put, and when an unused upload is deleted; struck
-- out when an attachment names them. What stays here for long, because of a crash for example, is looked at by the sweep.
create table loose_blobs (
  workspace_id uuid not null references workspaces (id),
  sha256 text not null,
  noted_at timestamptz(3) not null,
  primary key (workspace_id, sha256)
);
create index loose_blobs_age on loose_blobs (noted_at);

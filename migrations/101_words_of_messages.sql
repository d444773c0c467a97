-- Words of messages stand apart from their messages. A change of a message then writes no word, and the words enter
-- the search index in batches.
create table message_words (
  workspace_id uuid not null,
  message_id uuid not null,
  -- As of the message, so that a search finds the newest words without it.
  created_at timestamptz(3) not null,
  -- To unpack a vector takes longer than to match it, and a search looks at thousands.
  search tsvector storage main not null,
  primary key (workspace_id, message_id),
  foreign key (workspace_id, message_id) references messages (workspace_id, id) on delete cascade
) with (toast_tuple_target = 4080);
create index message_words_recent on message_words (workspace_id, created_at desc);
-- Each batch empties the pending list before it commits (decision 029).
create index message_words_search on message_words using gin (search);

-- The words that no index has yet. A message brings them along in its own commit.
create table unindexed_words (
  workspace_id uuid not null,
  message_id uuid not null,
  created_at timestamptz(3) not null,
  search tsvector storage main not null,
  primary key (workspace_id, message_id),
  foreign key (workspace_id, message_id) references messages (workspace_id, id) on delete cascade
) with (toast_tuple_target = 4080);
create index unindexed_words_recent on unindexed_words (workspace_id, created_at desc);

-- Only the previous release writes words here. They are due to move; the index finds them until then.
alter table messages alter column search drop not null;
create index messages_words on messages (workspace_id, created_at desc) where search is not null;

-- A search for words that begin so read all of them in the index, of whichever workspace, before it kept its own: now each word begins with
-- the workspace's letters, the last five of its id. Takes half an hour for three million messages.
-- In the order in which everybody else locks them.
lock table contacts, tickets, messages in access exclusive mode;
drop index contacts_search, tickets_search, messages_search;

-- Letters and digits that stand against Chinese, Japanese or Korean ones were no words: what has any of these keeps its former word as well, by
-- which the house finds it and makes it anew from its text.
create function with_workspace(vector tsvector, workspace_id uuid) returns tsvector language sql immutable
return replace(
  regexp_replace(vector::text, '''([^'']+)''', '''' || right(workspace_id::text, 5) || '\1''', 'g'),
  right(workspace_id::text, 5) || 'w' || replace(workspace_id::text, '-', ''),
  right(workspace_id::text, 5))::tsvector
  || (case when vector::text ~ '[\u1100-\u11FF\u2E80-\uD7FF\uF900-\uFAFF\U00020000-\U0003FFFF]' then 'w' || replace(workspace_id::text, '-', '') else '' end)::tsvector;

update contacts set search = with_workspace(search, workspace_id) where search is not null;
update tickets set search = with_workspace(search, workspace_id);
update messages set search = with_workspace(search, workspace_id);
drop function with_workspace;

create index contacts_search on contacts using gin (search) with (fastupdate = off);
create index tickets_search on tickets using gin (search) with (fastupdate = off);
create index messages_search on messages using gin (search) with (fastupdate = off);
-- By the former words each of the new ones is a rare one.
analyze contacts (search), tickets (search), messages (search);

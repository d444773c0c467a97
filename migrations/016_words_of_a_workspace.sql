-- A search for words that begin so read all of them in the index, of whichever workspace, before it kept its own: now each word begins with
-- the workspace's letters, the last five of its id. A vector of very many words would grow too large by them: those keep no positions, so they
-- are found by their words, not as a phrase.
drop index messages_search, tickets_search, contacts_search;

create function with_workspace(vector tsvector, workspace_id uuid) returns tsvector language sql immutable
return replace(
  regexp_replace(
    (case when length(vector) > 25000 then strip(vector) else vector end)::text,
    '''([^'']+)''', '''' || right(workspace_id::text, 5) || '\1''', 'g'),
  right(workspace_id::text, 5) || 'w' || replace(workspace_id::text, '-', ''),
  right(workspace_id::text, 5))::tsvector;

update messages set search = with_workspace(search, workspace_id);
update tickets set search = with_workspace(search, workspace_id);
update contacts set search = with_workspace(search, workspace_id) where search is not null;
drop function with_workspace;

create index messages_search on messages using gin (search) with (fastupdate = off);
create index tickets_search on tickets using gin (search) with (fastupdate = off);
create index contacts_search on contacts using gin (search) with (fastupdate = off);

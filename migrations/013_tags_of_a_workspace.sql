-- A tag's tickets of one workspace, found by the index alone: of all workspaces' tickets with that tag the others had to be sorted out,
-- by reading the entries of the whole workspace from another one.
drop index tickets_tags;
-- No tag begins with a space.
create index tickets_tags on tickets using gin ((array_append(tag_keys, ' ' || workspace_id::text)));

-- An API key may see only the tickets of some teams. Null: all that its maker sees.
alter table api_keys add column team_ids uuid[] check (cardinality(team_ids) > 0);

-- A change goes on after its request, with the rights and the sight of the key that asked for it.
alter table bulk_changes add column created_by_key uuid;
alter table bulk_changes add column undone_by_key uuid;

-- `tickets_of_status` and `tickets_unassigned` serve the same lists, and more. Last, because it waits for the readers
-- of tickets.
drop index tickets_status;
drop index tickets_open_unassigned;

-- The tickets of a team, for their list. In a file of its own, so that reads go on while it is built.
create index tickets_team on tickets (workspace_id, team_id, last_message_at desc, id desc)
  include (archived_at, merged_into_id, snoozed_until) where team_id is not null;

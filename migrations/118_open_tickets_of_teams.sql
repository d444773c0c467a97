-- The open tickets of a team, for their list and their counts.
create index tickets_open_of_team on tickets (workspace_id, team_id, last_message_at desc, id desc)
  include (snoozed_until, assignee_id)
  where status = 'open' and archived_at is null and merged_into_id is null and team_id is not null;

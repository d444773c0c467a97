-- Lists and counts ask for team and assignee of each ticket where a team hides some from the member. With both, these
-- indexes count alone for them too, as for everybody else. In a file of their own, so that reads go on while they are
-- built. The next migration drops the two that they replace.
create index tickets_of_status on tickets (workspace_id, status, last_message_at desc, id desc)
  include (archived_at, merged_into_id, snoozed_until, team_id, assignee_id);
create index tickets_unassigned on tickets (workspace_id, last_message_at desc, id desc)
  include (snoozed_until, team_id, assignee_id)
  where status = 'open' and archived_at is null and merged_into_id is null and assignee_id is null;

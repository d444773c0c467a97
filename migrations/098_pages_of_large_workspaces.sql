-- A plan that PostgreSQL keeps is made for an average workspace. Among many small ones it sorted all tickets of a large
-- workspace for each page. Planned for a large one, it takes an index in the order of the list, which suits a small one too.
do $$
begin
  alter table tickets alter column workspace_id set (n_distinct = 20);
exception
  -- Citus does not know how, of a table that is distributed.
  when feature_not_supported then null;
end
$$;

-- `assignee_id is null` leaves an index with all assignees without an order.
drop index tickets_open_of_assignee;
create index tickets_open_of_assignee on tickets (workspace_id, assignee_id, last_message_at desc, id desc) include (snoozed_until)
  where status = 'open' and archived_at is null and merged_into_id is null and assignee_id is not null;
create index tickets_open_unassigned on tickets (workspace_id, last_message_at desc, id desc) include (snoozed_until)
  where status = 'open' and archived_at is null and merged_into_id is null and assignee_id is null;

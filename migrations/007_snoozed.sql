-- Snoozed tickets are few, and listed by themselves: without an index that read every ticket of the workspace, twice with the
-- count; 0.4 s at 100,000 tickets. In the order of the list, so that also a plan that knows no values takes it.
create index tickets_snoozed on tickets (workspace_id, last_message_at desc, id desc) where snoozed_until is not null;

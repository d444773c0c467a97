-- The archive is listed by itself: without an index that read every ticket of the workspace until a page was full, and again
-- for the count. In the order of the list, as that of the snoozed.
create index tickets_archived on tickets (workspace_id, last_message_at desc, id desc) where archived_at is not null;

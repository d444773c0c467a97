-- When a member's first answer was sent. To search all messages for an answer takes seconds in a workspace without any.
alter table workspaces add column answered_at timestamptz(3);
update workspaces w set answered_at = w.created_at
where exists (select from messages m where m.workspace_id = w.id and m.delivery_status = 'sent');

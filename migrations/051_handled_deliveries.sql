-- When a person settled in another way that an answer did not arrive. A new attempt or a bounce sets it back to null.
alter table messages add column delivery_handled_at timestamptz(3);
create index messages_problems on messages (workspace_id, id desc)
  where delivery_status in ('failed', 'bounced', 'uncertain') and delivery_handled_at is null;

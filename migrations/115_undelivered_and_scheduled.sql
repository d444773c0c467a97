-- Undelivered and scheduled messages. In a file of its own, so that reads go on while it is built.
create index messages_undelivered_or_scheduled on messages (workspace_id, delivery_status, ticket_id)
  where delivery_status in ('scheduled', 'queued', 'sending', 'failed', 'bounced', 'uncertain', 'cancelled');

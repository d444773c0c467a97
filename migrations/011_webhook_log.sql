-- A log may be long: it goes in steps behind its webhook, not with it in one.
alter table webhook_deliveries drop constraint webhook_deliveries_workspace_id_webhook_id_fkey;
-- Those that failed are few, and looked for among many.
create index webhook_deliveries_failed on webhook_deliveries (workspace_id, webhook_id, id desc) where status = 'failed';

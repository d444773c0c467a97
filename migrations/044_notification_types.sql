-- The service checks the types: src/notifications/rules.ts lists them, as src/catalog/events.ts lists those of activity.
alter table notifications drop constraint notifications_type_check;

-- Its receiver took its time lately: until then few such of a workspace are sent to at once.
alter table webhooks add column slow_until timestamptz(3);

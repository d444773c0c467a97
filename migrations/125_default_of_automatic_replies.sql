-- A new automatic reply is off until somebody switches it on.
alter table auto_replies alter column is_active set default false;

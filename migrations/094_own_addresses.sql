-- Further addresses at which a workspace gets its mail, as its admins name them.
alter table workspaces add column own_addresses text[] not null default '{}';

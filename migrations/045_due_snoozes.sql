-- Snoozed tickets of all workspaces by the time at which they wake.
create index tickets_snoozed_until on tickets (snoozed_until) where snoozed_until is not null and merged_into_id is null;

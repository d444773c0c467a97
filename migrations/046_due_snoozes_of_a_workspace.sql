-- Snoozed tickets of each workspace by the time at which they wake. So many due tickets of a workspace are not read again for those of others.
drop index tickets_snoozed_until;
create index tickets_snoozed_until on tickets (workspace_id, snoozed_until) where snoozed_until is not null and merged_into_id is null;

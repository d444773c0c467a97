-- What the ticket of a draft starts as: status, assignee and tags.
alter table drafts add column starts_as jsonb;

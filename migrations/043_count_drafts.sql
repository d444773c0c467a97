-- By which rule the bytes were counted. The second counts drafts, too; a count of the first is measured again when it is next needed.
alter table workspace_storage add column version smallint not null default 1;

-- The subject of a mail whose ticket has another one.
alter table messages add column subject text;

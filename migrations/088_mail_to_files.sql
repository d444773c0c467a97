-- Whether the mail became a file, because no mail server is set: it reached nobody, though its delivery is over.
alter table messages add column is_file boolean not null default false;

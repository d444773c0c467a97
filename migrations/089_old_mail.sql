-- Old mail that came to an inbox by itself. Its tickets are closed.
alter table raw_mails add column is_old boolean not null default false;

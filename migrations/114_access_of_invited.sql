-- Which tickets the invited person sees from their first request on.
alter table invites add column access text not null default 'all' check (access in ('all', 'teams'));

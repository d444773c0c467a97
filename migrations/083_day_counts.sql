-- How often an account or the whole installation did a thing that has a limit a day. A count lasts for a day from its
-- beginning.
create table day_counts (
  subject text primary key,
  began_at timestamptz(3) not null,
  count integer not null
);
create index day_counts_began on day_counts (began_at);

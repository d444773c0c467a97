-- Names this installation of Kontor, so that a backup never takes the backups of another one for its own. A copy that
-- was restored from a backup has the name of its original, and goes on with its backups.
create table installation (
  id uuid not null default gen_random_uuid()
);
insert into installation default values;

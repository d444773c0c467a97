-- The language of a user's browser at the last sign-in, in which the service writes unless the user chose another.
alter table users add column language text;

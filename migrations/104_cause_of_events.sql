-- What led to a fact that nobody made by hand: the kind and the id of src/ground/catalog/cause.ts. One column, because no
-- statement searches it, and a later kind may tell more than an id. Null costs no byte.
alter table activity add column cause jsonb;

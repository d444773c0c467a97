-- Contacts in the order in which people read them: by name, or by address without a name. Letters stand with their
-- base letters, on every server and after every upgrade of it: no collation that a server brings along takes part.
create index contacts_by_name on contacts (
  workspace_id,
  (lower(regexp_replace(normalize(coalesce(name, email_key), nfd), '[\u0300-\u036f]+', '', 'g')) collate "C"),
  id
) where merged_into_id is null;

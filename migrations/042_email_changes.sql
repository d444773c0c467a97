-- The address that the link of a change of address was mailed to: whoever follows it has shown that this one is theirs.
alter table link_tokens add column email text;
alter table link_tokens drop constraint link_tokens_kind_check;
alter table link_tokens add constraint link_tokens_kind_check
  check (kind in ('verify-email', 'invitation', 'password-reset', 'change-email'));

-- Links of invitations that the inviter hands over. They prove no address: the previous release must not accept them.
alter table link_tokens drop constraint link_tokens_kind_check;
alter table link_tokens add constraint link_tokens_kind_check
  check (kind in ('verify-email', 'invitation', 'handed-invitation', 'password-reset', 'change-email'));

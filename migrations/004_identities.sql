-- By what an identity provider knows a person who signs in with it. Like users, these rows belong to no workspace.
create table identities (
  -- As the provider's tokens name it, in its one spelling; with Entra each tenant's own.
  issuer text not null,
  -- `sub`, or `oid:` and the object id within the tenant: the first is another one for each client, the second not always told.
  subject text not null,
  -- One for all subjects by which the issuer knows the same person.
  id uuid not null,
  provider text not null check (provider in ('oauth_a', 'oauth_b')),
  user_id uuid not null references users (id) on delete cascade,
  linked_at timestamptz(3) not null,
  primary key (issuer, subject)
);
create index identities_user on identities (user_id);

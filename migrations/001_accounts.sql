-- People and how they sign in. These tables belong to no workspace.

create table users (
  id uuid primary key,
  email text not null,
  -- The address folded for comparison; an address is unique without case.
  email_key text not null unique,
  name text,
  password_hash text,
  email_verified_at timestamptz(3),
  last_workspace_id uuid,
  created_at timestamptz(3) not null,
  -- How a person wants the inbox to look and behave, in all their workspaces. What is missing is as it is for
  -- everybody.
  preferences jsonb not null default '{}',
  -- The language of a user's browser at the last sign-in, in which the service writes unless the user chose another.
  language text,
  -- Whether the address was verified by the mailed link alone, so that whoever registered it, perhaps a stranger, still
  -- signs in. A password set by a mailed link ends that.
  verified_without_password boolean not null default false
);

create table sessions (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  -- Where it was opened: a refresh answers with this workspace while the person is still a member.
  workspace_id uuid,
  user_agent text,
  ip text,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  ended_at timestamptz(3),
  -- When a code was given in this session; null: signed in without.
  second_factor_at timestamptz(3)
);
create index sessions_user on sessions (user_id);

-- Refresh tokens are stored as SHA-256; a spent one stays until it would have run out, so that its reuse is seen.
create table refresh_tokens (
  token_hash bytea primary key,
  session_id uuid not null references sessions (id) on delete cascade,
  -- The token that was spent for this one; null for a session's first.
  parent_hash bytea,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  spent_at timestamptz(3)
);
create index refresh_tokens_session on refresh_tokens (session_id);

-- Single-use links in mails, stored as SHA-256. An invitation's names its workspace and invite, the others a user.
create table link_tokens (
  token_hash bytea primary key,
  kind text not null
    check (kind in ('verify-email', 'invitation', 'handed-invitation', 'password-reset', 'change-email')),
  user_id uuid references users (id) on delete cascade,
  workspace_id uuid,
  invite_id uuid,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- The address that the link of a change of address was mailed to: whoever follows it has shown that this one is
  -- theirs.
  email text
);
create index link_tokens_user on link_tokens (user_id, kind);
create index link_tokens_invite on link_tokens (workspace_id, invite_id);

-- By what an identity provider knows a person who signs in with it. Like users, these rows belong to no workspace.
create table identities (
  -- As the provider's tokens name it, in its one spelling; with Entra each tenant's own.
  issuer text not null,
  -- `sub`, or `oid:` and the object id within the tenant: the first is another one for each client, the second not
  -- always told.
  subject text not null,
  -- One for all subjects by which the issuer knows the same person.
  id uuid not null,
  provider text not null check (provider in ('oauth_a', 'oauth_b')),
  user_id uuid not null references users (id) on delete cascade,
  linked_at timestamptz(3) not null,
  primary key (issuer, subject)
);
create index identities_user on identities (user_id);

-- The second factor of an account: one-time codes (RFC 6238). Like users these tables belong to no workspace.
create table second_factors (
  user_id uuid primary key references users (id) on delete cascade,
  -- Sealed with ENCRYPTION_KEY for this user: worth nothing elsewhere, nor to whoever has the database alone.
  sealed_secret text not null,
  created_at timestamptz(3) not null,
  -- Null: set up, but no code was given yet, so that it is not asked for.
  confirmed_at timestamptz(3),
  -- The time step of the last code that was taken: neither it nor an earlier one is taken again.
  last_step bigint
);

-- One of these stands in for a code, once. 120 random bits each, stored as SHA-256.
create table recovery_codes (
  user_id uuid not null references users (id) on delete cascade,
  code_hash bytea not null,
  used_at timestamptz(3),
  primary key (user_id, code_hash)
);

-- Sign-ins that wait for their code: whoever holds the token has shown the password, or an identity token.
create table sign_in_challenges (
  token_hash bytea primary key,
  user_id uuid not null references users (id) on delete cascade,
  -- As it was asked for; with an invite, whose it is.
  workspace_id uuid,
  -- The invitation that is accepted with the code.
  invite_id uuid,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index sign_in_challenges_user on sign_in_challenges (user_id);

-- When an address or account last did a thing that may be done only so often.
create table throttles (
  action text not null,
  subject text not null,
  last_at timestamptz(3) not null,
  primary key (action, subject)
);

-- Wrong passwords of the last minutes. The account is the address as it was tried, folded: there need be none.
create table password_failures (
  id uuid primary key,
  account_key text not null,
  ip text not null,
  failed_at timestamptz(3) not null
);
create index password_failures_account on password_failures (account_key, failed_at);
create index password_failures_ip on password_failures (ip, failed_at);

-- How often an account or the whole installation did a thing that has a limit a day. A count lasts for a day from its
-- beginning.
create table day_counts (
  subject text primary key,
  began_at timestamptz(3) not null,
  count integer not null
);
create index day_counts_began on day_counts (began_at);

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

-- When a code was given in this session; null: signed in without.
alter table sessions add column second_factor_at timestamptz(3);

-- Nobody acts in such a workspace but in a session with a second factor.
alter table workspaces add column require_second_factor boolean not null default false;

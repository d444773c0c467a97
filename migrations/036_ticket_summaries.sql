-- What a list shows of a ticket's messages is kept on its row. Lists then read no messages.
alter table tickets
  -- By time of writing. Null: the ticket has none.
  add column last_message_id uuid,
  add column last_message_direction text,
  add column last_message_author text,
  add column last_message_snippet text,
  -- Files of its messages, without pictures inside their text.
  add column attachment_count integer not null default 0,
  -- Of the newest answer that did not arrive, or may not have.
  add column delivery_problem text,
  -- When a person wrote whom nobody has answered since; null for a closed ticket.
  add column waiting_since timestamptz(3),
  -- By the clock of arrivals: what came before waits for nobody. Null where nobody closed the ticket, or an agent opened it again.
  add column closed_at timestamptz,
  -- The version that these columns are of. A former release leaves it behind; the sweep then makes them anew.
  add column summary_version integer;
create index tickets_unsummarised on tickets (workspace_id, id) where summary_version is distinct from version;

-- Tickets that a member has not seen since a customer wrote or somebody mentioned the member. One that is closed, archived or
-- merged away has no such rows but those that members asked for. Without foreign keys: one customer's mail writes a row for
-- each member.
create table unread_tickets (
  workspace_id uuid not null,
  user_id uuid not null,
  ticket_id uuid not null,
  -- The newest message that made it unread, and when that arrived.
  message_id uuid not null,
  arrived_at timestamptz not null,
  primary key (workspace_id, user_id, ticket_id)
);
create index unread_tickets_ticket on unread_tickets (workspace_id, ticket_id);

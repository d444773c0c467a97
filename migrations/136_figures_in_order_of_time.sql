-- Figures of tickets in order of time, so that a report reads its time alone, and mostly from indexes. No release has
-- these tables yet. Null in the rows that were there: they are made anew.
alter table ticket_metrics
  add column created_at timestamptz(3),
  -- Whether the ticket was open when it was created. One of an import may have come closed.
  add column began_open boolean,
  add column is_open boolean,
  -- Whether it was opened again after its creation.
  add column is_reopened boolean;
create index ticket_metrics_created on ticket_metrics (workspace_id, created_at) include (began_open, ticket_id);
create index ticket_metrics_open on ticket_metrics (workspace_id, created_at) include (ticket_id) where is_open;
create index ticket_metrics_reopened on ticket_metrics (workspace_id, turned_at) where is_reopened;
drop index ticket_metrics_turned, ticket_metrics_resolved;
create index ticket_metrics_resolved on ticket_metrics (workspace_id, resolved_at)
  include (created_at, resolution_seconds, resolution_business_seconds, is_one_touch, resolved_by, ticket_id)
  where resolved_at is not null;

-- The response of the same ticket before, so that tickets are counted without a sort. Null: there was none.
alter table ticket_responses add column previous_at timestamptz(3);
drop index ticket_responses_time;
create index ticket_responses_time on ticket_responses (workspace_id, responded_at)
  include (is_first, seconds, business_seconds, previous_at, user_id, ticket_id);

-- Indexes alone answer only for pages that were vacuumed since they changed.
alter table ticket_metrics set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
alter table ticket_responses set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);

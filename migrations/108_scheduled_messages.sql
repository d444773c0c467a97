-- A scheduled message waits for its time, and has answered nobody until then. The time is `delivery_next_attempt_at`;
-- the column has what else its end needs: { "unlessReplied", "quote" }.
alter table messages add column scheduled jsonb;
alter table messages drop constraint messages_delivery_status_check;
alter table messages add constraint messages_delivery_status_check check (
  delivery_status in ('scheduled', 'queued', 'sending', 'sent', 'failed', 'bounced', 'uncertain', 'cancelled')
) not valid;

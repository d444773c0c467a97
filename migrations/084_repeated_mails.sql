-- Of a mail that nothing identifies: when the same bytes came last, if more than once, and when their sender showed that
-- it had read our answer. Then the same bytes are another mail.
alter table raw_mails
  add column arrived_again_at timestamptz(3),
  add column acknowledged_at timestamptz(3);

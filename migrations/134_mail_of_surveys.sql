-- Mail that asks customers passes the gate of automatic mail, and is counted with it.
alter table auto_reply_log
  drop constraint auto_reply_log_kind_check,
  add constraint auto_reply_log_kind_check check (kind in ('received', 'out_of_hours', 'rule', 'survey'));

-- The calendar by which the figures are made, and its version. Null: none.
alter table report_readers add column counted_by text;

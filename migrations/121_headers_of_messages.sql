-- Of a received mail, the header fields for which a rule may ask, and which no other column holds. Null: none, or older.
alter table messages add column headers jsonb;

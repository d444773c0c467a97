-- A message of more than 2 kB had its search vector compressed: to unpack one takes seven microseconds, to match it less than one, and a search
-- looks at thousands. From now on the texts go first where a row is too long, and it is too long from half a page on. What was written before stays
-- as it is; it is read as well.
alter table messages set (toast_tuple_target = 4080);
do $$
begin
  alter table messages alter column search set storage main;
exception
  -- Citus does not know how, of a table that is distributed: there the longest of a row's values goes first.
  when feature_not_supported then null;
end
$$;

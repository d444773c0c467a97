-- A message of more than 2 kB had its search vector compressed: to unpack one takes seven microseconds, to match it less than one, and a search
-- looks at thousands. From now on the texts go first where a row is too long, and it is too long from half a page on. What was written before stays
-- as it is; it is read as well.
alter table messages alter column search set storage main;
alter table messages set (toast_tuple_target = 4080);

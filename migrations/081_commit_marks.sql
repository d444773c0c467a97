-- Always empty. On a cluster, a transaction that would delete a row here commits in two phases (queue/enqueue.ts).
create table commit_marks (id smallint primary key);

-- A hundred rows by the primary key, and two small tables.
\set aid random(1, 99900)
SELECT b.bid, count(*), sum(a.abalance), avg(t.tbalance) FROM pgbench_accounts AS a
  JOIN pgbench_branches AS b USING (bid) JOIN pgbench_tellers AS t ON t.tid = a.aid % 10 + 1
  WHERE a.aid BETWEEN :aid AND :aid + 100 GROUP BY b.bid;

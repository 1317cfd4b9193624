-- Eight rows, each by a primary key: quick to execute, slow to plan.
\set aid random(1, 99000)
SELECT a.abalance + b.abalance + c.abalance + d.abalance + e.abalance + f.abalance + g.abalance + h.abalance
  FROM pgbench_accounts AS a JOIN pgbench_accounts AS b ON b.aid = a.aid + 1 JOIN pgbench_accounts AS c ON c.aid = b.aid + 1
  JOIN pgbench_accounts AS d ON d.aid = c.aid + 1 JOIN pgbench_accounts AS e ON e.aid = d.aid + 1
  JOIN pgbench_accounts AS f ON f.aid = e.aid + 1 JOIN pgbench_accounts AS g ON g.aid = f.aid + 1
  JOIN pgbench_accounts AS h ON h.aid = g.aid + 1 WHERE a.aid = :aid;

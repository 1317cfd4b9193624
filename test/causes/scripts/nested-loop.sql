-- Two hundred thousand rows pass through four nodes of the plan.
SELECT count(*) FROM pgbench_accounts AS a CROSS JOIN pgbench_tellers AS t WHERE a.aid <= 20000;

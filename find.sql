\set a random(1, 200000)
SELECT abalance FROM pgbench_accounts WHERE aid = :a;

-- Twenty rows, by one statement or by twenty.
SELECT current_setting('cause.statements')::int > 1 AS one_by_one \gset
\set aid random(1, 99000)
\if :one_by_one
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 1;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 2;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 3;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 4;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 5;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 6;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 7;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 8;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 9;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 10;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 11;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 12;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 13;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 14;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 15;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 16;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 17;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 18;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 19;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid + 20;
\else
SELECT abalance FROM pgbench_accounts WHERE aid BETWEEN :aid + 1 AND :aid + 20;
\endif

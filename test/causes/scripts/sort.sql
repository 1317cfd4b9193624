-- Sorts as much as memory for a sort does not hold.
SELECT count(*) FROM (SELECT aid, filler FROM pgbench_accounts WHERE aid <= 20000 ORDER BY abalance, filler, aid DESC OFFSET 1) AS sorted;

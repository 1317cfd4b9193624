-- One row from half a million.
SELECT count(*), sum(abalance), max(length(filler)), avg(sqrt(aid)), stddev(ln(aid)) FROM pgbench_accounts;

UPDATE pgbench_tellers SET tbalance = tbalance + 1;

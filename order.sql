\set a random(1, 100)
BEGIN ISOLATION LEVEL SERIALIZABLE;
UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :a;
INSERT INTO pgbench_history (tid,bid,aid,delta,mtime) SELECT 1,1,:a,sum(abalance),now() FROM pgbench_accounts WHERE aid < 50;
END;

-- Sorts eight megabytes in an order that no index has, and returns one row.
SELECT * FROM (SELECT aid, repeat('x', 800) || aid AS text FROM pgbench_accounts WHERE aid <= 10000 OFFSET 0) AS one
  ORDER BY aid * 7919 % 99991 OFFSET 9999;

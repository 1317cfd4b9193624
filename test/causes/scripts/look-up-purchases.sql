\set customer random(1, 4999)
SELECT sum(amount) FROM purchase WHERE customer = :customer;

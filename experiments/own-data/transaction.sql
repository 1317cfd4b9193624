-- Your transaction, in pgbench's form: every client sends it again and again. Without BEGIN and END, each statement
-- would commit by itself.
\set id random(1, 50000)
BEGIN;
UPDATE parcel SET status = 'sent', moved = now() WHERE id = :id;
INSERT INTO move (parcel) VALUES (:id);
END;

-- The same purchases twice; only one of the tables has an index by customer.
CREATE SCHEMA indexed;
CREATE SCHEMA bare;
CREATE TABLE indexed.purchase (id int PRIMARY KEY, customer int NOT NULL, amount numeric NOT NULL);
CREATE TABLE bare.purchase (id int PRIMARY KEY, customer int NOT NULL, amount numeric NOT NULL);
INSERT INTO indexed.purchase SELECT id, id % 5000, 10 FROM generate_series(1, 100000) AS id;
INSERT INTO bare.purchase TABLE indexed.purchase;
CREATE INDEX purchase_by_customer ON indexed.purchase (customer);

-- Half of the parcels were sent, nearly half delivered, and one in five thousand is damaged. Each was moved once.
CREATE TABLE parcel (id int PRIMARY KEY, status text NOT NULL);
CREATE TABLE move (parcel int PRIMARY KEY, weight int NOT NULL);
INSERT INTO parcel
  SELECT id, CASE WHEN id % 5000 = 7 THEN 'damaged' WHEN id % 2 = 0 THEN 'sent' ELSE 'delivered' END
  FROM generate_series(1, 100000) AS id;
INSERT INTO move SELECT id, id % 30 FROM parcel;
CREATE INDEX parcel_by_status ON parcel (status);

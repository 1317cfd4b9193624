-- Your tables and what is in them. psql runs this once for each server; every trial begins with the data as loaded.
CREATE TABLE parcel (id int PRIMARY KEY, status text NOT NULL, moved timestamptz);
CREATE TABLE move (parcel int NOT NULL REFERENCES parcel, at timestamptz NOT NULL DEFAULT now());

INSERT INTO parcel SELECT id, 'new' FROM generate_series(1, 50000) AS id;

-- Twenty rows.
SELECT sum(weight) FROM parcel JOIN move ON move.parcel = parcel.id WHERE status = 'damaged';

-- What of a picture must not be cut off: {x, y}, 0 to 1 from its left and its top; null: its middle.
alter table media add column focal_point jsonb;

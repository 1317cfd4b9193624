-- One record of WAL of about a hundred kilobytes, which is no page and so is not compressed.
SELECT pg_logical_emit_message(true, 'cause', repeat('x', 100000));

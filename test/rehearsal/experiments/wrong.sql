-- It works where one client tries it out, and fails for the second.
SELECT 1 / (1 - :client_id);

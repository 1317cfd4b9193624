"""The gate in front of moto: finds out who asks for what, and whether a policy allows it."""

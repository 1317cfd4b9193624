"""The gate in front of moto: it finds the principal of a request, and whether a policy allows the action."""

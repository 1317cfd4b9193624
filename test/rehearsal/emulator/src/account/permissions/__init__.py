"""IAM: what policies allow, whom roles trust, and the first user."""

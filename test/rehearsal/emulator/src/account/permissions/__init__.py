"""IAM: what policies allow, whom roles trust, and who is there from the first."""

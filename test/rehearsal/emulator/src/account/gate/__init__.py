"""What every request passes before it reaches moto: who asks, for what, and whether a policy allows it."""

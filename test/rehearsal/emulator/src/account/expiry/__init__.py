"""Schedules and state machines, executed: moto keeps the former and never fires them."""

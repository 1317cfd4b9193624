"""Schedules and state machines, executed: moto keeps schedules, but never fires them."""

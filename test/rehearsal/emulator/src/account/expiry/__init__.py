"""Executes schedules and state machines: moto keeps schedules, but never fires them."""

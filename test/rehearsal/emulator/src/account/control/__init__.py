"""The API below /rehearsal/, by which a rehearsal brings about what it wants to see handled."""

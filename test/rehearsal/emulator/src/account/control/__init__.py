"""The API below /rehearsal/. With it, a rehearsal causes the events that the product must handle."""

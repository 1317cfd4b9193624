"""The emulated AWS account of the dress rehearsal: moto, and what it lacks for the stacks of this project."""

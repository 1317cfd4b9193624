"""EC2 instances: their metadata service and their end."""

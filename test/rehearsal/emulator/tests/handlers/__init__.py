"""What CloudFormation may do with the role of a stack."""

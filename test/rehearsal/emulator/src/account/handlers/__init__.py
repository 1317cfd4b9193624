"""What CloudFormation's handlers of resources call with the role of a stack, and whether it may."""

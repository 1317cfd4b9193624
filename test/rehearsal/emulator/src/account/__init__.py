"""The emulated AWS account of the dress rehearsal: moto, and what this project's stacks need besides it."""

from moto.core.config import default_user_config

# This must be set before any of moto's models is imported. Without it, the managed policies that roles name
# do not exist.
default_user_config["iam"]["load_aws_managed_policies"] = True
default_user_config["stepfunctions"]["execute_state_machine"] = True

"""The emulated AWS account of the dress rehearsal: moto, and what it lacks for the stacks of this project."""

from moto.core.config import default_user_config

# Here, because it has to be said before any of moto's models is imported: without its managed policies, those
# that roles name do not exist.
default_user_config["iam"]["load_aws_managed_policies"] = True
default_user_config["stepfunctions"]["execute_state_machine"] = True

"""Names of the emulated account. These credentials are no secrets: they open only this emulator."""

import secrets
from pathlib import Path

ACCOUNT = "123456789012"
PARTITION = "aws"
REGION = "us-east-1"

ADMINISTRATOR = "rehearsal-admin"
ADMINISTRATOR_KEY_ID = "AKIAREHEARSAL2000000"
ADMINISTRATOR_SECRET = "rehearsal-only"

INSIDER_KEY_ID = f"AKIA{secrets.token_hex(8).upper()}"
"""Key of the emulator's calls to itself, such as those by which CloudFormation makes resources."""
INSIDER_SECRET = "insider"


class Place:
    """Where the emulator listens and writes; set once, before it serves."""

    port = 5000
    folder = Path()

    @classmethod
    def url(cls) -> str:
        return f"http://localhost:{cls.port}"


def arn(service: str, resource: str, *, region: str = REGION, account: str = ACCOUNT) -> str:
    return f"arn:{PARTITION}:{service}:{region}:{account}:{resource}"

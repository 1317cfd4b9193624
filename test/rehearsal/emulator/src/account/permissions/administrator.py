"""The administrator, who deploys. The key exists before the first request."""

import json

from moto.iam.models import iam_backends

from account.names import (
    ACCOUNT,
    ADMINISTRATOR,
    ADMINISTRATOR_KEY_ID,
    ADMINISTRATOR_SECRET,
    PARTITION,
    REGION,
)

_everything = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}


def seed_administrator() -> None:
    iam = iam_backends[ACCOUNT][PARTITION]
    iam.create_user(REGION, ADMINISTRATOR)
    iam.put_user_policy(ADMINISTRATOR, "everything", json.dumps(_everything))
    key = iam.create_access_key(ADMINISTRATOR)
    iam.access_keys.pop(key.physical_resource_id)
    key.access_key_id, key.secret_access_key = ADMINISTRATOR_KEY_ID, ADMINISTRATOR_SECRET
    iam.access_keys[ADMINISTRATOR_KEY_ID] = key

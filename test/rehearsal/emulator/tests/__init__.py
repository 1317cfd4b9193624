"""Tests of the emulator; each folder is named after the one of the sources that it tests."""

import os

# Removes the caller's AWS settings and proxies. It is done here, since moto reads some when it is imported.
for _name in list(os.environ):
    if _name.startswith(("AWS_", "BOTO_", "MOTO_")) or _name.lower().endswith("_proxy"):
        del os.environ[_name]
os.environ |= {
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
}

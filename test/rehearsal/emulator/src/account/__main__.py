"""The emulated AWS account of the dress rehearsal.

    python -m account --port 5000 --folder FOLDER

Serves the AWS API and, below /rehearsal/, its control API on localhost, and instance metadata on
169.254.169.254:80. Prints `ready` when it listens. Writes every request to FOLDER/requests.jsonl. Meant for a
private network namespace.
"""

import argparse
import sys
from pathlib import Path

from account.names import Place
from account.server import serve


def main() -> None:
    options = argparse.ArgumentParser(
        prog="python -m account", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--port", type=int, default=5000)
    options.add_argument("--folder", type=Path, required=True)
    options.add_argument("--metadata-address", default="169.254.169.254")
    options.add_argument("--metadata-port", type=int, default=80)
    chosen = options.parse_args()
    Place.port, Place.folder = chosen.port, chosen.folder
    Place.folder.mkdir(parents=True, exist_ok=True)
    try:
        serve(metadata_at=(chosen.metadata_address, chosen.metadata_port))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()

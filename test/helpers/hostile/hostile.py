"""What an unprivileged user can try beside a run of root. Everything it knows is in the sources or shown by the system.

The first argument is a JSON object:
    temporary  folder for temporary files, which everybody may write to
    results    folder of the run's results
    process    id of the runner
    canary     file that only root may touch; links lead to it
    programs   folder of psql
    own        whether to leave out what belongs to this user, as the data belongs to the user of the servers
    prepare    whether to lay folders and links at every name that is known beforehand
    plant      whether to lay links into the folders of the servers, which only their user can

It says "prepared" in a line, and tries everything again and again until its standard input ends. Then it prints a JSON object:
    attempts   by name: {"gained": [what], "refused": {error: number of times}}
    heard      command lines of the run's processes
    planted    number of links in the servers' folders
"""

import ctypes
import errno
import glob
import json
import os
import select
import socket
import subprocess
import sys

ASKED = json.loads(sys.argv[1])
TEMPORARY, RESULTS, CANARY = ASKED["temporary"], ASKED["results"], ASKED["canary"]

# Names in a run's folder, for the variants and volumes of the experiment "tiny".
VARIANTS = ["one", "two"]
VOLUMES = ["one-data", "two-data", "two-log"]
SECRETS = ["owner.json", "kept.json"] + [
    f"servers/{variant}.{kind}" for variant in VARIANTS for kind in ("pgpass", "initial-password", "log")
]
# Everybody may see who holds a lock.
LOCKS = ["in-use.lock"]
DISKS = [f"volumes/d/{volume}.{kind}" for volume in VOLUMES for kind in ("img", "vol", "log")]
DATA = [f"volumes/{volume}/{file}" for volume in VOLUMES for file in ("data/PG_VERSION", "wal/archive_status")]
# Only the servers' user reads the settings.
SETTINGS = [f"servers/{variant}.settings/{file}" for variant in VARIANTS for file in ("pgduet.conf", "pg_hba.conf")]
FOLDERS = ["", "servers", "volumes", "volumes/d"] + [
    name
    for variant in VARIANTS
    for name in (f"servers/{variant}", f"servers/{variant}.settings")
] + [f"volumes/{volume}" for volume in VOLUMES] + [f"volumes/{volume}/data" for volume in VOLUMES]
SOCKETS = [f"volumes/d/{number}.{kind}" for number in (1, 2, 3) for kind in ("qmp", "nbd")]

# Names that are known before a run: ours, and those of caches for compiled code.
CACHES = ["node-compile-cache", "tsx-0", "esbuild-0"]
LINKS = ["pgduet-", "pgduet-AAAAAA", "results.lock", "tiny.lock", "kept.json", "latest"]

libc = ctypes.CDLL(None, use_errno=True)
psql_tried = {}
# Folders in /proc, found anew in each round.
running = []


# --- Where to try


def runs():
    """Folders of runs, but for those that were laid by us."""
    return [
        folder
        for folder in glob.glob(f"{TEMPORARY}/pgduet-*")
        if not os.path.islink(folder) and os.path.basename(folder) != "pgduet-forged"
    ]


def in_runs(names):
    return [os.path.join(run, name) for run in runs() for name in names]


def results():
    """Everything among the results, which everybody may read."""
    return [RESULTS] + [os.path.join(top, name) for top, some, more in os.walk(RESULTS) for name in some + more]


def result_folders():
    return [name for name in results() if os.path.isdir(name)]


def shared_memory():
    return glob.glob("/dev/shm/PostgreSQL.*")


def descendants():
    """The runner and all that it has started."""
    parents = {}
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(stat) as file:
                parents[int(stat.split("/")[2])] = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            pass
    ours = {ASKED["process"]}
    while True:
        more = {pid for pid, parent in parents.items() if parent in ours} - ours
        if not more:
            return [f"/proc/{pid}" for pid in ours]
        ours |= more


def ports():
    """Whatever listens on 127.0.0.1: only the servers' user reads their settings."""
    with open("/proc/net/tcp") as lines:
        rows = [line.split() for line in lines][1:]
    return [int(row[1].split(":")[1], 16) for row in rows if row[1].startswith("0100007F:") and row[3] == "0A"]


def server_sockets():
    return [f"{folder}/.s.PGSQL.{port}" for folder in in_runs(f"servers/{name}" for name in VARIANTS) for port in ports()]


def caches():
    return [os.path.join(TEMPORARY, name) for name in CACHES]


# --- What to try: each returns if it succeeded, and raises an OSError if it was refused


def read(file):
    with open(file, "rb") as opened:
        opened.read(1)


def write(file):
    os.close(os.open(file, os.O_WRONLY))


def change_mode(file):
    os.chmod(file, 0o777)


def link_into(folder):
    link = os.path.join(folder, "laid-by-another")
    os.symlink(CANARY, link)
    os.unlink(link)


def move(folder):
    os.rename(folder, f"{folder}-moved")
    os.rename(f"{folder}-moved", folder)


def mount_over(folder):
    if libc.mount(b"none", folder.encode(), b"tmpfs", 0, None) != 0:
        raise OSError(ctypes.get_errno(), "mount")
    libc.umount(folder.encode())


def connect(address):
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(1)
        client.connect(address)


def take(port):
    """Listens where a server does. What a server has left, or not taken yet, is no gain."""
    address = ("127.0.0.1", port)
    with socket.create_connection(address, 1), socket.socket() as own:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        own.bind(address)
        own.listen()
    socket.create_connection(address, 1).close()


def log_in(password):
    """As the superuser. A server is asked only once: an answer takes the time of the run."""

    def ask(port):
        environment = {"PGCONNECT_TIMEOUT": "2", **({} if password is None else {"PGPASSWORD": password})}
        key = (port, password)
        if key not in psql_tried:
            command = ["psql", "-w", "-h", "127.0.0.1", "-p", str(port), "-U", "postgres", "-c", "SELECT 1", "postgres"]
            command[0] = os.path.join(ASKED["programs"], "psql")
            answer = subprocess.run(command, env=environment, capture_output=True, text=True)
            if "refused" in answer.stderr:
                raise ConnectionRefusedError(errno.ECONNREFUSED, "connect")
            psql_tried[key] = answer.returncode
        if psql_tried[key] != 0:
            raise PermissionError(errno.EACCES, "log in")

    return ask


def signal(process):
    os.kill(int(os.path.basename(process)), 0)


def open_memory(process):
    os.close(os.open(f"{process}/mem", os.O_RDONLY))


def find_something_in(folder):
    if not os.listdir(folder):
        raise OSError(errno.EACCES, "nothing is there")


ATTEMPTS = {
    "read a file of the run": (lambda: in_runs(SECRETS + DISKS + DATA), read),
    "read the memory of the servers": (shared_memory, read),
    "write to a file of the run": (lambda: in_runs(SECRETS + LOCKS + DISKS + DATA + SETTINGS), write),
    "change the mode of a file of the run": (lambda: in_runs(SECRETS + LOCKS + DISKS + DATA + SETTINGS + FOLDERS), change_mode),
    "list a private folder of the run": (lambda: in_runs(["", "servers", "volumes", "volumes/d", "servers/one"]), os.listdir),
    "lay a link into a folder of the run": (lambda: in_runs(FOLDERS), link_into),
    "move the folder of the run away": (runs, move),
    "mount over a folder of the run": (lambda: in_runs(FOLDERS), mount_over),
    "write to the results": (results, write),
    "lay a link into the results": (result_folders, link_into),
    "connect to a storage daemon": (lambda: in_runs(SOCKETS), connect),
    "connect to the socket of a server": (server_sockets, connect),
    "log in to a server without a password": (ports, log_in(None)),
    "log in to a server with a wrong password": (ports, log_in("wrong")),
    "take the port of a server": (ports, take),
    "signal a process": (lambda: running, signal),
    "read the environment of a process": (lambda: running, lambda process: read(f"{process}/environ")),
    "read the memory of a process": (lambda: running, open_memory),
    "list the open files of a process": (lambda: running, lambda process: os.listdir(f"{process}/fd")),
    "find code in a cache that it has made": (caches, find_something_in),
}


# --- What it lays beforehand, and into the servers' folders


def prepare():
    for name in CACHES + ["pgduet-forged", "results"]:
        os.mkdir(os.path.join(TEMPORARY, name))
        os.chmod(os.path.join(TEMPORARY, name), 0o777)
    with open(f"{TEMPORARY}/pgduet-forged/owner.json", "w") as owner:
        process = {"pid": 4194303, "start": "gone", "namespace": os.readlink("/proc/self/ns/pid")}
        json.dump({"kind": "pgduet-run-folder", "kept": False, "process": process}, owner)
    os.symlink(os.path.dirname(CANARY), f"{TEMPORARY}/pgduet-forged/volumes")
    for name in LINKS:
        os.symlink(os.path.dirname(CANARY) if name.startswith("pgduet") else CANARY, os.path.join(TEMPORARY, name))


def plant():
    """Lays links where root could write, or remove, in the folders of a server that is up."""
    planted = 0
    for data in in_runs(f"volumes/{volume}/data" for volume in VOLUMES):
        if not is_up(data):
            continue
        names = ["pgduet.conf", "server.log", "postmaster.opts", "pg_ident.conf", "pg_hba.conf", "postgresql.auto.conf"]
        planted += sum(lay(CANARY, os.path.join(data, name)) for name in names)
        planted += lay(os.path.dirname(CANARY), os.path.join(data, "elsewhere"))
    for folder in in_runs(f"servers/{variant}" for variant in VARIANTS):
        if os.path.isdir(folder):
            names = ["server.log", "one.log", "two.log", "pgpass", "initial-password", "pgduet.conf", "core"]
            planted += sum(lay(CANARY, os.path.join(folder, name)) for name in names)
    return planted


def is_up(data):
    """Only then: a server that finds a link while it starts ends by itself, and nothing more would be tried."""
    try:
        with open(os.path.join(data, "postmaster.pid")) as state:
            return "ready" in state.read()
    except OSError:
        return False


def lay(target, link):
    if os.path.islink(link):
        return 0
    try:
        os.symlink(target, f"{link}.new")
        os.rename(f"{link}.new", link)
    except OSError:
        # The run is being removed.
        return 0
    return 1


# --- The loop


def is_own(target):
    try:
        return os.stat(str(target)).st_uid == os.getuid()
    except OSError:
        return False


def main():
    attempts = {name: {"gained": [], "refused": {}} for name in ATTEMPTS}
    heard = set()
    planted = 0
    if ASKED["prepare"]:
        prepare()
    print("prepared", flush=True)
    while True:
        # One last time when it is asked to end, so that each is tried at the very end, too.
        ending = select.select([sys.stdin], [], [], 0.3)[0]
        if ASKED["plant"]:
            planted += plant()
        running[:] = descendants()
        for process in running:
            try:
                with open(f"{process}/cmdline") as file:
                    heard.add(file.read().replace("\0", " "))
            except OSError:
                pass
        for name, (targets, act) in ATTEMPTS.items():
            tried = attempts[name]
            for target in targets():
                if ASKED["own"] and is_own(target):
                    continue
                try:
                    act(target)
                    if str(target) not in tried["gained"]:
                        tried["gained"].append(str(target))
                except OSError as error:
                    code = errno.errorcode.get(error.errno, str(error))
                    tried["refused"][code] = tried["refused"].get(code, 0) + 1
        if ending:
            break
    print(json.dumps({"attempts": attempts, "heard": sorted(heard), "planted": planted}))


main()

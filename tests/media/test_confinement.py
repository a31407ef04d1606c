"""What a fault in a decoder could do: next to nothing. The process has given up its rights when it reads a file."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import ctypes, os, platform, resource, socket, sys, threading
from signalpost.media.probe.confinement import confine
key, parent, uid, machine = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
platform.machine = lambda real=platform.machine(): machine or real
libc = ctypes.CDLL(None, use_errno=True)
kept = open(key + ".public", "r+b")
if os.geteuid() == 0 and uid:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
confine(1_000_000)
kept.write(b"files that are open stay open")
kept.flush()

def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")

buffer = ctypes.create_string_buffer(64)
vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 64)
attempts = {
    "the master key": lambda: open(key),
    "the environment of the service": lambda: open(f"/proc/{parent}/environ"),
    "the memory of the service": lambda: open(f"/proc/{parent}/mem"),
    "a folder": lambda: os.listdir("/"),
    "a connection": socket.socket,
    "a pipe": os.pipe,
    "a file that grows": lambda: os.pwrite(kept.fileno(), b"x", 1_000_001),
    "more open files": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
    "another user": lambda: os.setresuid(0, 0, 0),
}
others = {
    "a signal to the service": lambda: os.kill(parent, 0),
    "a process": lambda: os._exit(0) if os.fork() == 0 else None,
    "a program": lambda: os.execv("/bin/true", ["true"]),
    "a debugger on the service": lambda: checked(libc.ptrace(16, parent, None, None)),
    "a read of the service's memory": lambda: checked(libc.process_vm_readv(parent, vector, 1, vector, 1, 0)),
}
for name, attempt in (attempts if machine else attempts | others).items():
    try:
        attempt()
    except (OSError, ValueError):
        continue
    print("allowed:", name)
thread = threading.Thread(target=lambda: print("a thread starts"))
thread.start()
thread.join()
print("done", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("machine", ["", "riscv64"], ids=["with a filter of system calls", "without one"])
@pytest.mark.parametrize("uid", [0, 1234], ids=["as it is", "as an ordinary user"])
def test_a_process_that_opens_files_can_do_nothing_else(tmp_path: Path, uid: int, machine: str) -> None:
    """Root becomes nobody; a user's own processes, files and the network are out of reach even without that."""
    if uid and os.geteuid() != 0:
        pytest.skip("this is an ordinary user already")
    key = tmp_path / "master.key"
    for path in (key, tmp_path / "master.key.public"):
        path.write_text("x")
        path.chmod(0o600)
        if uid:
            os.chown(path, uid, uid)
    command = [sys.executable, "-c", _PROGRAM, str(key), str(os.getpid()), str(uid), machine]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        lines = []
        while line := child.stdout.readline():
            lines.append(line.strip())
            if line == "done\n":
                break
        status = dict(line.split(":\t", 1) for line in Path(f"/proc/{child.pid}/status").read_text().splitlines())
        child.communicate()

    assert lines == ["a thread starts", "done"]
    assert child.returncode == 0
    assert status["NoNewPrivs"].strip() == "1"
    assert status["CapEff"].strip() == status["CapPrm"].strip() == "0" * 16
    assert "0" not in status["Uid"].split()
    assert status["Seccomp"].strip() == ("0" if machine else "2")

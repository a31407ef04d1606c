"""Gives up, for good, every right that opening a file does not need: a fault in a decoder then finds nothing to use."""

import ctypes
import errno
import os
import platform
import resource
import struct
from contextlib import suppress

_NOBODY = 65_534
_NEW_USER_NAMESPACE, _NEW_NETWORK_NAMESPACE = 0x10000000, 0x40000000
_SET_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER_MODE = 38, 22, 2
_CAPABILITY_VERSION_3 = 0x20080522

_LOAD, _EQUALS, _AT_LEAST, _HAS_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_OFFSET, _MACHINE_OFFSET, _FIRST_ARGUMENT_OFFSET = 0, 4, 16
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000
_NOT_IMPLEMENTED = 0x00050000 | errno.ENOSYS
_CLONE_THREAD = 0x00010000
_CLONE3 = 435
_SEVERAL_NUMBERS = 0x40000000  # the x32 variants of all calls of x86-64
_SAME_EVERYWHERE = (424, 425, 426, 427, 434, 437, 438)
"""pidfd_send_signal, io_uring_setup, io_uring_enter, io_uring_register, pidfd_open, openat2, pidfd_getfd"""
_MACHINES = {
    # fork, vfork, execve, execveat, kill, tkill, tgkill, ptrace, process_vm_readv, process_vm_writev, open, openat,
    # creat, socket, socketpair, unshare, setns, mount, bpf, userfaultfd
    "x86_64": (
        0xC000003E, 56,
        (57, 58, 59, 322, 62, 200, 234, 101, 310, 311, 2, 257, 85, 41, 53, 272, 308, 165, 321, 323),
    ),
    # execve, execveat, kill, tkill, tgkill, ptrace, process_vm_readv, process_vm_writev, openat, socket, socketpair,
    # unshare, setns, mount, bpf, userfaultfd; the others do not exist
    "aarch64": (0xC00000B7, 220, (221, 281, 129, 130, 131, 117, 270, 271, 56, 198, 199, 97, 268, 40, 280, 282)),
}  # fmt: skip


def confine(bytes_max: int) -> None:
    """Keep the files that are open and the memory, nothing else; a file may not become larger than `bytes_max`.

    Afterwards the process is nobody if it was root, gains no rights by running programs, has no capability, opens no
    file, folder or connection, and cannot look into other processes, signal them or start any.
    Modules have to be imported before. What an old kernel or a container refuses is left out: the limit on open files
    alone, which every kernel knows, keeps it from the master key and the network.

    Raises:
        OSError: the kernel refuses what every supported kernel grants.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    is_root = os.geteuid() == 0
    libc.unshare(_NEW_NETWORK_NAMESPACE if is_root else _NEW_USER_NAMESPACE | _NEW_NETWORK_NAMESPACE)
    if is_root:
        with suppress(OSError):  # a container in which there is nobody but root
            os.setgroups([])
            os.setresgid(_NOBODY, _NOBODY, _NOBODY)
            os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    _require(libc.capset((ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()))
    _require(libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_max, bytes_max))
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    if machine := _MACHINES.get(platform.machine()):
        program = _filter(*machine)
        instructions = ctypes.create_string_buffer(program, len(program))
        address = ctypes.create_string_buffer(struct.pack("@HP", len(program) // 8, ctypes.addressof(instructions)))
        libc.prctl(_SET_SECCOMP, _FILTER_MODE, address, 0, 0)


def _require(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _filter(machine: int, clone: int, refused: tuple[int, ...]) -> bytes:
    """Return the seccomp program: system calls by number, refused ones first; threads may start, processes not."""
    instructions = [
        (_LOAD, 0, 0, _MACHINE_OFFSET),
        (_EQUALS, 1, 0, machine),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_OFFSET),
        (_AT_LEAST, 0, 1, _SEVERAL_NUMBERS),
        (_RETURN, 0, 0, _REFUSE),
        (_EQUALS, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _NOT_IMPLEMENTED),  # its arguments cannot be checked; the C library falls back to clone
    ]
    for number in (*_SAME_EVERYWHERE, *refused):
        instructions += [(_EQUALS, 0, 1, number), (_RETURN, 0, 0, _REFUSE)]
    instructions += [
        (_EQUALS, 0, 3, clone),
        (_LOAD, 0, 0, _FIRST_ARGUMENT_OFFSET),
        (_HAS_BITS, 1, 0, _CLONE_THREAD),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("@HBBI", *instruction) for instruction in instructions)

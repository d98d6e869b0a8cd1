"""Whether a measurement can be trusted: what others did on this machine meanwhile, and which BLAS PyTorch runs on."""
import os
import pathlib
import sys

TICKS = os.sysconf("SC_CLK_TCK")


def _machine_seconds():
    """Processor seconds that anybody used or the host took away (steal), all cores together."""
    fields = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    user, nice, system, _idle, _iowait, irq, softirq, steal = (int(field) for field in fields[:8])
    return (user + nice + system + irq + softirq + steal) / TICKS


def _family_seconds(pids):
    """Processor seconds of these processes and of the children that they waited for."""
    total = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += sum(int(field) for field in fields[11:15])
    return total / TICKS


class Watch:
    """`foreign()`: cores that others than `pids` kept busy on average since it was made; 0.0 on a quiet machine."""

    def __init__(self, pids):
        self.pids = pids
        self.began, self.machine, self.family = os.times().elapsed, _machine_seconds(), _family_seconds(pids)

    def foreign(self):
        elapsed = os.times().elapsed - self.began
        used = _machine_seconds() - self.machine - (_family_seconds(self.pids) - self.family)
        return max(0.0, used / elapsed) if elapsed > 0 else 0.0


def slow_blas(libraries):
    """A sentence when PyTorch is linked to a BLAS that makes it look slow, else None."""
    fair = "sudo apt-get install libopenblas0-openmp makes the comparison a fair one"
    text = ", ".join(libraries)
    if "openblas-pthread" in text or "openblas-serial" in text:
        return f"PyTorch runs on {text}: its threads and PyTorch's get in each other's way; {fair}"
    if "openblas" in text or "mkl" in text or "blis" in text or not libraries:
        return None  # none mapped: PyTorch's own builds link theirs statically
    return f"PyTorch runs on {text}, the reference BLAS, tens of times slower than it could be; {fair}"


def warn(libraries, foreign):
    """Says on standard error what a measurement cannot be trusted for: a slow BLAS, and so many cores that others kept busy."""
    if (warning := slow_blas(libraries)) is not None:
        print("warning: " + warning, file=sys.stderr)
    if foreign > 0.1:
        print(f"warning: others kept {foreign:.1f} cores busy", file=sys.stderr)

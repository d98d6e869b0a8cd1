"""assets/corpus/engines/slurm.sh on a Slurm of one machine, which this test starts and ends: the bytes of one scan.

    slurm_test.py HEADSCOPE_CLI
"""
import getpass
import shutil
import socket
import subprocess
import time

import engine

PATIENCE = 20  # seconds for the daemons to know each other
for program in ("slurmctld", "slurmd", "sbatch", "sinfo"):
    engine.need(program, "slurm-wlm")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def configuration(folder):
    """One node, this machine; nobody is asked who he is; no daemon of the system and no cgroup is touched."""
    user, host = getpass.getuser(), socket.gethostname().split(".")[0]
    return f"""
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2
PartitionName=all Nodes={host} Default=YES
"""


class Slurm:
    """The two daemons, in a folder of their own."""

    def __init__(self, work):
        self.work, self.folder, self.daemons = work, work.folder / "slurm", []
        for name in ("state", "spool"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "slurm.conf").write_text(configuration(self.folder))
        (self.folder / "cgroup.conf").write_text("CgroupAutomount=no\n")
        work.environment["SLURM_CONF"] = str(self.folder / "slurm.conf")

    def __enter__(self):
        for words in (["slurmctld", "-D"], ["slurmd", "-D"]):
            with open(self.folder / f"{words[0]}.log", "wb") as log:
                self.daemons.append(subprocess.Popen([shutil.which(words[0], path=engine.SEARCHED), *words[1:]], stdout=log, stderr=log, env=self.work.environment))
        return self

    def ready(self):
        """Whether the node takes jobs before patience ends."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and all(daemon.poll() is None for daemon in self.daemons):
            state = subprocess.run(["sinfo", "--noheader", "--format", "%t"], capture_output=True, text=True,
                                   env=self.work.environment, timeout=PATIENCE, check=False).stdout.strip()
            if state == "idle":
                return True
            time.sleep(0.2)
        return False

    def said(self):
        return "\n".join((self.folder / f"{name}.log").read_text() for name in ("slurmctld", "slurmd"))

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def main():
    work = engine.Work()
    with Slurm(work) as slurm:
        if not slurm.ready():
            last = [line for line in slurm.said().splitlines() if "error" in line or "fatal" in line][-1:]
            engine.skip(f"Slurm does not start here: {' '.join(last) or 'the node is not idle'}")
        try:
            work.run(*engine.line_of("slurm.sh"))
        except BaseException:
            print(slurm.said())
            for log in sorted(work.folder.glob("all.hsagg.shards/*.log")):
                print(log.name, log.read_text(errors="replace"))
            raise
    work.assert_same("all.hsagg")


if __name__ == "__main__":
    main()

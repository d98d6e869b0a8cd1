"""assets/corpus/engines/mpi.sh: ranks as shards, the bytes of one scan.

    mpi_test.py HEADSCOPE_CLI
"""
import engine

engine.need("mpirun", "openmpi-bin")
work = engine.Work()
# Open MPI wants to be told that this is meant: root in a container, and more ranks than cores.
meant = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
         "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_plm_rsh_agent": "false", "OMPI_MCA_hwloc_base_binding_policy": "none"}
work.run(*engine.line_of("mpi.sh"), **meant)
work.assert_same("all.hsagg")

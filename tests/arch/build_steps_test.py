"""How many compilers tests/build_steps.py lets run at once, and how it says what is left."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import build_steps


class BuildSteps(unittest.TestCase):
    def test_as_many_steps_as_ninja_runs_where_memory_is_no_limit(self):
        self.assertEqual([build_steps.jobs_for(processors, 64e9) for processors in (1, 2, 3, 8)], [2, 3, 5, 10])
        self.assertEqual(build_steps.jobs_for(8, None), 10)

    def test_no_more_steps_than_memory_holds_and_never_none(self):
        for free, jobs in ((0.2e9, 1), (1.3e9, 1), (2.5e9, 2), (6.1e9, 5)):
            self.assertEqual(build_steps.jobs_for(16, free), jobs, free)

    def test_the_memory_of_this_machine_is_read(self):
        free = build_steps.free_memory()
        self.assertTrue(free is None or 1e6 < free < 1e15, free)

    def test_time_left_follows_from_the_part_that_is_done(self):
        progress = build_steps.Progress({"a.o": 30.0, "b.o": 10.0}, terminal=False)
        self.assertEqual(progress.words(), "The first steps are not done yet")
        progress.begin -= 120
        progress.step(1, 3, "Building CXX object a.o")
        self.assertEqual(progress.words(), "1 of 3 steps done, less than a minute left")
        progress.begin -= 1200
        self.assertEqual(progress.words(), "1 of 3 steps done, about 7 minutes left")


if __name__ == "__main__":
    unittest.main()

"""`grader profile`: counts the memory accesses of each line of a submission in the simulator."""

from grader.common.errors import InputError
from grader.course.submissions.submission import Task
from grader.course.truth.oracle import load_oracle
from grader.grading.checks.compilation.building import build
from grader.grading.checks.simulation.counts import Counted, count_memory, memory_run
from grader.grading.checks.simulation.simulated_run import Subject
from grader.grading.explain.problem import Problem
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.progress import Progress


def profile_submission(task: Task, environment: GradingEnvironment, progress: Progress) -> Counted | Problem:
    """Count the accesses of one run, at the sizes of the assignment's memory checks. Returns the problem if the build
    or the run fails. Raises InputError if the assignment does not have memory checks, and NoSimulatorError if there is
    no simulator.
    """
    asked = task.assignment.memory
    if asked is None:
        raise InputError(f"{task.assignment.name} does not check memory: add `memory:` to its assignment.yaml.")
    with environment.simulator() as worker:
        worker.ready()
        progress("building")
        built = build(task, worker)
        if isinstance(built, Problem):
            return built
        progress("counting every access in a simulator")
        subject = Subject(task=task, oracle=load_oracle(task.assignment), worker=worker, built=built)
        return count_memory(memory_run(subject, asked), environment.watching.simulation)

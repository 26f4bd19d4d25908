"""TODO grader.worker.opencl."""

"""A worker's use of OpenCL: build options, facts about programs, sequences of launches, and the arrays of launches."""

"""What a worker does with OpenCL: build options, a program's facts, a script of launches, the arrays they work on."""

"""What is run: a clause's function or a file's, its inputs made afresh for every run, its copy in double precision."""

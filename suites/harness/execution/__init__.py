"""Where runs happen: processes of their own, several ranks, time limits, the C++ compiler, this machine."""

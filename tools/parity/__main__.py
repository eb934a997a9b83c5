"""The command line, as the console script `parity` and as ``python -m parity``."""

from tools.cli import main

if __name__ == "__main__":
    main()

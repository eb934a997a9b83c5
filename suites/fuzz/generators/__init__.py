"""What draws programs: from decisions (`choices`) to the text of a file for ``parity check``, a room a kind."""

"""How a program is compiled: torch's own backends, those of others, and the entry points beside torch.compile."""

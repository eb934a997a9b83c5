"""Rules of ``torch.library`` about definitions: of type hints, and of operators that break their schemas."""

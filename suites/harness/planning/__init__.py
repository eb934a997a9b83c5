"""Which of the cells that were collected run: those of the quick profile, those of a shard, and in which order."""

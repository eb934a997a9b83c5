"""What a clause is written with: the `clause` mark, `Check`, and the claims of a `Result`."""

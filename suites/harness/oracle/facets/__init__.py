"""What two calls are compared in, a module for facets of one kind. `suites.harness.oracle.compare` asks them all."""

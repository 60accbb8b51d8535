"""Model files: OpenSim's and our own."""

"""Benchmarks: softstride and its peers side by side, one ratio a line. `softstride bench NAME` runs them."""

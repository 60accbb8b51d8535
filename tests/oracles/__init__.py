"""Independent oracles: a slow matrix engine, random trees, and converters to other engines."""

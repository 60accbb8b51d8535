"""The parts of a report's page, one file each: `section(context)` returns a `Section`."""

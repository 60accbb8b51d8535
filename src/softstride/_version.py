"""The version, in a file of its own so that a build reads it without importing the package."""

__version__ = "0.1.0.dev0"

"""From markers to people and their motion."""

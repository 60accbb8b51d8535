"""One recursion a module; what the joints do is in `joints`, `placing` and `rods`."""

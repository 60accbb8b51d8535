"""Write the packaged chains as TOML: `python -m softstride.planar.library.generate [FOLDER]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from softstride.planar.case import Case
from softstride.planar.library.finger import finger
from softstride.planar.library.spine import spine
from softstride.planar.library.squat import squat
from softstride.planar.reach import usual_reach

HEADS = {
    "squat": (
        "A squat along a wall, down and up, both legs together, facing +x. The ground reaction is what a force plate",
        "shows; the wall's force is unknown, so loads come from proximal data.",
    ),
    "finger": (
        "A finger presses a key and lets go. The deep flexor runs under pulleys to the last phalanx, the superficial",
        "one to the middle phalanx.",
    ),
    "spine": (
        "Somebody straightens up with a load of 12 kg in the hands: 24 vertebrae on the sacrum, each with its slice of",
        "the trunk, segmental muscles across every joint and global muscles across many. Facing +x, the back is +y.",
    ),
}
SOURCE = "Invented: plausible sizes, consistent by computation (softstride.planar.library)."


def numbers(values: ArrayLike, digits: int) -> str:
    """Return numbers or rows of numbers as TOML, without needless digits."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0:
        text = f"{round(float(array), digits) + 0.0:.{digits}f}".rstrip("0")
        return text + "0" if text.endswith(".") else text
    return "[" + ", ".join(numbers(each, digits) for each in array) + "]"


def toml(case: Case, name: str) -> str:
    """Return a case as the text of a chain file."""
    chain, state = case.chain, case.state
    head = [f"# {line}" for line in HEADS[name]]
    lines = [*head, f'name = "{chain.name}"', f'source = "{SOURCE}"', f'form = "{case.form}"']
    lines += [f"gravity = {-chain.gravity[1]:.5f}", f"time = {numbers(np.asarray(state.time), 3)}"]
    usual = usual_reach(chain.length, chain.com_complex)
    for i, link in enumerate(chain.links):
        theta = np.atleast_2d(state.theta)[:, i]
        angle = theta[0] if np.ptp(theta) == 0.0 else theta
        lines += ["", "[[links]]", f'name = "{link}"', *([f'joint = "{chain.joints[i - 1]}"'] if i else [])]
        lines += [f"length = {numbers(chain.length[i], 4)}", f"mass = {numbers(chain.mass[i], 4)}"]
        lines += [f"com = {numbers(chain.com[i], 4)}", f"inertia = {numbers(chain.inertia[i], 8)}"]
        if chain.reach[i] != usual[i]:
            lines += [f"reach = {numbers(chain.reach[i], 4)}"]
        lines += [f"angle = {numbers(angle, 7)}"]
    for muscle in chain.muscles:
        path = ", ".join(f'["{link}", {numbers(x, 4)}, {numbers(y, 4)}]' for link, x, y in muscle.path)
        lines += ["", "[[muscles]]", f'name = "{muscle.name}"', f"path = [{path}]"]
        lines += [f"tension = {numbers(np.asarray(state.tension[muscle.name]), 2)}"]
    for contact in chain.contacts:
        point = state.point.get(contact.name, contact.point)
        lines += ["", "[[contacts]]", f'name = "{contact.name}"', f'link = "{contact.link}"']
        lines += [f"point = {numbers(point, 4)}"]
        if contact.name in state.force:
            lines += [f"force = {numbers(state.force[contact.name], 3)}"]
    return "\n".join(lines) + "\n"


def texts() -> dict[str, str]:
    """Return the texts of the packaged chains by name."""
    return {
        name: toml(make(), name) for name, make in (("squat", squat), ("finger", finger), ("spine", spine))
    }


def main(folder: Path) -> None:
    """Write all of them into a folder."""
    for name, text in texts().items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)

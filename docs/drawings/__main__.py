"""Draw everything into docs/assets."""

from pathlib import Path

from docs.drawings import persons, rods, vectors, walkers

ASSETS = Path(__file__).resolve().parents[1] / "assets"
DRAWINGS = {
    "world": (persons.world, "Axes of the world and of links"),
    "joints": (persons.joints, "What positive joint angles do"),
    "blade": (rods.blade_frames, "Section axes along a running blade"),
    "vectors": (vectors.twist_and_wrench, "Twists and wrenches"),
    "walker": (walkers.angles, "Angles of the walker of seven segments"),
}


def main(folder: Path = ASSETS) -> list[Path]:
    """Draw into a folder and return the files."""
    written = []
    for name, (draw, title) in DRAWINGS.items():
        written.append(folder / f"{name}.svg")
        draw().save(written[-1], title)
    return written


if __name__ == "__main__":
    for file in main():
        print(file.name)

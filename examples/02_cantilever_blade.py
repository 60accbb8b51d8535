"""Static equilibrium of a soft link: a carbon blade, clamped and bent far, against the elastica.

A rod of n segments of constant curvature, stiffness E I, carries a dead load P across its tip. At rest

    b(q, 0) - tau_passive(q, 0) - J(q)ᵀ w = 0        (here b = 0: gravity is off).

The continuous blade obeys E I θ'' + P cos θ = 0 (θ: its slope), solved by elliptic integrals [Bisshopp1945].
Segments approach it with order 2 in 1/n, so two meshes give the limit: fine + (fine - coarse) / 3.

Expected: for P L²/EI = 2 the tip is at (x, y)/L = (0.839358, 0.493457); 16 segments miss it by 4.0e-4.

Homework: stand the blade up under gravity. When does `stable` turn False? (Greenhill: L³ = 7.837 EI/(ρA g).)
"""

import numpy as np

import softstride as ss
from softstride.simulation import equilibrium

LENGTH = 0.5  # [m]
CARBON = ss.Section.rectangle(width=0.06, thickness=0.006, density=1600, young=60e9, shear=5e9)
LOAD = 2.0 * CARBON.stiffness[1, 1] / LENGTH**2  # P = 2 EI / L² [N]; ky bends about the width
ELASTICA = np.array([0.839358, 0.493457])


def loaded_tip(n: int) -> np.ndarray:
    """Return (x, y)/L of the tip of n segments, shape (2,); y is along the load, the thickness z."""
    builder = ss.ModelBuilder("blade", gravity=(0, 0, 0))
    builder.rod("blade", rod=ss.Rod.uniform(LENGTH, n, CARBON, free=("ky",)))
    model = builder.build()
    rest = equilibrium(model, np.zeros(n), {"blade": (0, 0, 0, 0, 0, LOAD)})  # [moment; force] on the tip
    return ss.positions(model, rest.q, "blade")[[0, 2]] / LENGTH


def main() -> dict[str, float]:
    coarse, fine = loaded_tip(16), loaded_tip(32)
    limit = fine + (fine - coarse) / 3
    gaps = [float(np.hypot(*(tip - ELASTICA))) for tip in (coarse, fine)]
    print(f"load {LOAD:.1f} N on a blade of {LENGTH} m: the tip moves {1e3 * LENGTH * limit[1]:.1f} mm")
    print(f"16 segments  x/L {coarse[0]:.5f}   y/L {coarse[1]:.5f}   error {gaps[0]:.1e}")
    print(f"limit        x/L {limit[0]:.5f}   y/L {limit[1]:.5f}   (elastica 0.83936, 0.49346)")
    print(f"order        {np.log2(gaps[0] / gaps[1]):.2f}")
    return {
        "x_over_L": float(limit[0]),
        "y_over_L": float(limit[1]),
        "error_of_16_segments": gaps[0],
        "order": float(np.log2(gaps[0] / gaps[1])),
    }


if __name__ == "__main__":
    main()

"""Checks of planar chains: a chain of three links whose contributions are known to 13 digits."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from softstride.planar import Chain, Contact, Muscle, State, polar

FloatArray = NDArray[np.float64]

# By an independent recursion over links, 13 digits: phi_1, phi_2, phi_3 as x, y [N], and tau_1, tau_2, tau_3 [N·m].
FORCES = """
muscle:A -514.1553110867 -612.8982917918 0 0 0 0
muscle:B 0 0 -150.1582348613 -1190.568143578 0 0
muscle:C -295.8818145641 -339.0485980066 -295.8818145641 -339.0485980066 0 0
muscle:D 0 0 80.56164212394 -644.9882338604 80.56164212394 -644.9882338604
muscle:E -8.462175834564 -89.6012922906 -8.462175834564 -89.6012922906 -8.462175834564 -89.6012922906
weight:0 0 0 0 0 0 0
weight:1 0 -37.278 0 0 0 0
weight:2 0 -90.252 0 -90.252 0 0
weight:3 0 -294.3 0 -294.3 0 -294.3
contact:hand 35 -120 35 -120 35 -120
contact:bar -20 -60 -20 -60 -20 -60
contact:strap 15 10 15 10 0 0
contact:ground 0 0 0 0 0 0
omega2:1 6.569601901281 23.85863168985 6.341905028844 22.84419162918 4.853498746565 17.48279971621
alpha:1 135.5945159909 -37.33667553266 129.8292017509 -36.04261778399 99.35908297263 -27.58363605918
omega2:2 -35.64041046651 62.24929711252 -35.64041046651 62.24929711252 -32.04763072 54.79653059487
alpha:2 584.5760655551 334.6950390077 584.5760655551 334.6950390077 514.5879832718 300.9556532469
omega2:3 0.7265027229587 2.186460562995 0.7265027229587 2.186460562995 0.7265027229587 2.186460562995
alpha:3 -326.7639025447 108.5749585339 -326.7639025447 108.5749585339 -326.7639025447 108.5749585339
"""
TORQUES = """
muscle:A 128.5646594091 0 0
muscle:B 0 -3.754837599886 0
muscle:C 73.86785195055 -7.781929490258 0
muscle:D 0 40.00305443602 -62.42823888523
muscle:E 12.88396214236 19.52602775681 -1.489769372251
weight:0 0 0 0
weight:1 1.551184943476 0 0
weight:2 3.477164903273 -6.662602894758 0
weight:3 -15.23009867217 -48.29455888314 11.13592455035
contact:hand 26.64601886251 -1.000227425801 11.14745446191
contact:bar -13.78407900012 -12.43116072395 6.590820719635
contact:strap 6.109805922901 1.162884434996 0
contact:ground 0 0 0
omega2:1 5.72118162843 5.72118162843 -0.1088186456697
alpha:1 103.3003170946 45.13701344757 12.35855745839
omega2:2 -27.14010739891 -5.722953614197 -5.722953614197
alpha:2 505.7945822344 306.8227229593 47.21256406465
omega2:3 0.7407438638971 0.6923800213773 0
alpha:3 -381.8702408802 -237.4323638471 -146.5315572526
"""


def rows(text: str) -> dict[str, FloatArray]:
    """Return the lines of a table by their first word."""
    parts = (line.split() for line in text.strip().splitlines())
    return {label: np.array([float(number) for number in numbers]) for label, *numbers in parts}


@cache
def reference_chain() -> Chain:
    """Return the chain of the table: three links, five muscles of all spans, four contacts."""
    return Chain(
        length=np.array([0.20, 0.42, 0.40, 0.25]),
        mass=np.array([1.5, 3.8, 9.2, 30.0]),
        com=polar([0.08, 0.19, 0.17, 0.12], [0.10, 0.05, -0.08, 0.20]),
        inertia=np.array([0.004, 0.055, 0.16, 1.10]),
        muscles=(
            Muscle("A", ((0, -0.05, 0.03), (1, 0.30, 0.04))),
            Muscle("B", ((1, 0.10, -0.05), (2, 0.06, -0.05))),
            Muscle("C", ((0, -0.08, 0.02), (2, -0.03, 0.035))),
            Muscle("D", ((1, 0.38, 0.05), (3, 0.08, -0.06))),
            Muscle("E", ((0, 0.02, -0.06), (3, 0.15, 0.05))),
        ),
        contacts=(
            Contact("hand", 3, (0.22, 0.10)),
            Contact("bar", 3, (0.18, -0.07)),
            Contact("strap", 2, (0.20, 0.06)),
            Contact("ground", 0, (0.05, -0.04)),
        ),
        gravity=9.81,
        name="reference",
    )


@cache
def reference_state() -> State:
    """Return its state, accelerations and ground reaction included."""
    chain = reference_chain()
    state = State(
        theta=np.array([0.30, 1.30, 2.10, 1.05]),
        omega=np.array([0.0, 1.2, -2.3, 0.8]),
        tension={"A": 800.0, "B": 1200.0, "C": 450.0, "D": 650.0, "E": 90.0},
        force={"hand": (35.0, -120.0), "bar": (-20.0, -60.0), "strap": (15.0, 10.0)},
        couple={"strap": 2.5},
    )
    return chain.balanced(state.changed(alpha=chain.accelerations(state)), "ground")


def contributions() -> float:
    """Return the largest error of the contributions against the table, over the largest entry of a row."""
    found = reference_chain().contributions(reference_state())
    worst = 0.0
    for text, values in ((FORCES, found.force), (TORQUES, found.torque)):
        for label, row in rows(text).items():
            error = np.abs(values[:, found.column(label)].ravel() - row).max()
            worst = max(worst, float(error / max(np.abs(row).max(), 1.0)))
    return worst


def forms() -> float:
    """Return the largest difference of joint reactions from distal and from proximal data [N]."""
    chain, state = reference_chain(), reference_state()
    return float(np.abs(chain.reactions(state).force - chain.reactions(state, form="proximal").force).max())


def energy() -> float:
    """Return the energy that work does not explain while the chain falls for 0.3 s with all forces constant [J]."""
    state = reference_state().changed(alpha=None)
    return reference_chain().simulate(state, np.linspace(0.0, 0.3, 31)).energy_error

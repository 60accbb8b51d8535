"""Muscles sewn together over the bone end: one tension, moment arms that add up, strengths, series of Hill muscles."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq
from tests.model.surgery.legs import arm, leg, places, straight
from tests.models import the_model

from softstride.errors import ModelError
from softstride.model import Muscle, Path, PathPoint, amputate
from softstride.model.surgery.suture import allotted, in_series

CUT, HIGH = 0.15, 0.28


def poses(model, count=5):
    rng = np.random.default_rng(3)
    return [model.neutral() + rng.uniform(-0.6, 0.6, model.nq) for _ in range(count)]


def part(model, q, muscle, first, last):
    """Length of a path between two of its points [m]."""
    p = places(model, q, muscle)[first : last + 1]
    return float(np.sum(np.linalg.norm(np.diff(p, axis=0), axis=1)))


def test_a_pair_is_one_cord_from_origin_to_origin():
    """Below the knee the shin's muscle has both ends on the tibia: the pair has the arm of the calf alone."""
    model = leg()
    cut = amputate(model, "right", CUT, surgery="myoplasty")
    assert "gasmed_tibant_r" in cut.muscles and not {"gasmed_r", "tibant_r"} & set(cut.muscles)
    path = cut.muscles["gasmed_tibant_r"].path
    assert path.points[0] is model.muscles["gasmed_r"].path.points[0]
    assert path.points[-1] is model.muscles["tibant_r"].path.points[0]
    secured = amputate(model, "right", CUT)
    for q in poses(cut):
        pair = arm(cut, q, "gasmed_tibant_r", "knee_r")
        assert pair == pytest.approx(arm(secured, q, "gasmed_r", "knee_r"), abs=1e-9) and pair < -0.01


def test_arms_of_antagonists_add_up():
    """Hamstring and rectus femoris over the end of the femur: r = r_a + r_b, and the same tension in both halves.

    The arms of the halves are those of the muscles secured to the bone one by one. Virtual work with one tension T in
    both halves gives T (r_a + r_b), which the pair must have; the arms are opposite and nearly cancel.
    """
    model = leg()
    sewn = amputate(model, "right", below_hip=HIGH, surgery="myoplasty")
    secured = amputate(model, "right", below_hip=HIGH)
    for q in poses(sewn):
        a, b = (arm(secured, q, name, "hip_r") for name in ("semiten_r", "recfem_r"))
        assert a < 0.0 < b
        assert arm(sewn, q, "semiten_recfem_r", "hip_r") == pytest.approx(a + b, abs=1e-8)
    size = max(abs(a), abs(b))
    assert abs(a + b) < 0.5 * size


def test_the_cord_is_straight_above_and_round_below():
    sewn = amputate(leg(), "right", below_hip=HIGH, surgery="myoplasty")
    q = sewn.neutral()
    p = places(sewn, q, "semiten_recfem_r")
    assert len(p) == 7  # origin, turn, three below the end, turn, origin
    assert np.allclose(p[[1, 5], 1], -HIGH, atol=1e-12) and np.all(p[2:5, 1] < -HIGH)
    total = sum(part(sewn, q, "semiten_recfem_r", i, i + 1) for i in range(6))
    assert total == pytest.approx(straight(sewn, q, "semiten_recfem_r"), abs=1e-15)


def test_strength_of_pairs():
    """Two with only each other: the weaker. All with all: the weaker group, and nobody beyond the own strength."""
    assert allotted([("a", "b")], {"a": 300.0, "b": 80.0}) == {("a", "b"): 80.0}
    pairs = [(a, b) for a in ("a", "b", "c") for b in ("x", "y")]
    strength = {"a": 100.0, "b": 250.0, "c": 30.0, "x": 90.0, "y": 170.0}
    force = allotted(pairs, strength)
    assert sum(force.values()) == pytest.approx(90.0 + 170.0)
    rng = np.random.default_rng(0)
    for _ in range(200):
        every = [(a, b) for a in [f"l{i}" for i in range(4)] for b in [f"r{i}" for i in range(4)]]
        chosen = [every[i] for i in sorted(rng.choice(16, rng.integers(1, 12), replace=False))]
        strength = {name: rng.uniform(10, 1000) for pair in every for name in pair}
        force = allotted(chosen, strength)
        for name, most in strength.items():
            assert sum(f for pair, f in force.items() if name in pair) <= most * (1 + 1e-12)
        assert min(force.values()) > 0.0


def test_strength_and_slack_of_the_pair():
    model = leg()
    cut = amputate(model, "right", CUT, surgery="myoplasty", muscles={"tibant": {"strength": 0.3}})
    pair, a, b = cut.muscles["gasmed_tibant_r"], model.muscles["gasmed_r"], model.muscles["tibant_r"]
    along = min(0.5 * a.max_force * np.cos(a.pennation), 0.3 * b.max_force * np.cos(b.pennation))
    assert pair.max_force * np.cos(pair.pennation) == pytest.approx(along, rel=1e-12)
    taken = a.fibre_length * np.cos(a.pennation) + b.fibre_length * np.cos(b.pennation)
    assert pair.fibre_length == pytest.approx(a.fibre_length + b.fibre_length)
    assert pair.fibre_length * np.cos(pair.pennation) == pytest.approx(taken)
    length = straight(cut, cut.neutral(), "gasmed_tibant_r")
    assert pair.tendon_length + taken == pytest.approx(length, abs=1e-12)  # fibres at 100 %


def test_a_pair_has_the_mean_of_both_fibre_lengths_weighted_by_them():
    """Fibres at 70 and 130 % of 0.02 and 0.1 m: in series they are 0.7 l_a + 1.3 l_b long, at one share of the sum."""
    model = leg()
    lengths = {"gasmed_r": 0.02, "tibant_r": 0.1}
    muscles = {
        name: replace(muscle, fibre_length=lengths.get(name, muscle.fibre_length), pennation=0.0)
        for name, muscle in model.muscles.items()
    }
    rows = {"gasmed": {"fibre": 0.7}, "tibant": {"fibre": 1.3}}
    cut = amputate(model.replace(muscles=muscles), "right", CUT, surgery="myoplasty", muscles=rows)
    pair = cut.muscles["gasmed_tibant_r"]
    length = straight(cut, cut.neutral(), "gasmed_tibant_r")
    assert pair.fibre_length == pytest.approx(0.12)  # nothing was shortened
    assert length - pair.tendon_length == pytest.approx(0.7 * 0.02 + 1.3 * 0.1, abs=1e-12)


def curve(x):
    """A normalised force over normalised length that always rises, so that a series has one state."""
    return np.exp(-((x - 1.0) ** 2) / 0.45) * (x < 1.0) + (x >= 1.0) * (1.0 + 2.0 * (x - 1.0))


@pytest.mark.parametrize("stretch", [0.6, 0.85, 1.0, 1.1])
def test_two_equal_muscles_in_series_are_one(stretch):
    """Equilibrium of two fibres of different length and one strength, solved, against the one that replaces them."""
    path = Path((PathPoint("a", np.zeros(3)), PathPoint("b", np.ones(3))))
    a = Muscle("a", path, 700.0, 0.05, 0.2, max_velocity=8.0)
    b = Muscle("b", path, 700.0, 0.12, 0.1, max_velocity=12.0)
    one = in_series("both", a, b, 700.0, path)
    total = stretch * (a.fibre_length + b.fibre_length)
    first = brentq(
        lambda x: curve(x / a.fibre_length) - curve((total - x) / b.fibre_length),
        0.3 * a.fibre_length,
        1.7 * a.fibre_length,
    )
    force = 700.0 * curve(first / a.fibre_length)
    assert one.max_force * curve(total / one.fibre_length) == pytest.approx(force, rel=1e-9)
    assert one.tendon_length == pytest.approx(0.3)
    assert one.max_velocity * one.fibre_length == pytest.approx(8.0 * 0.05 + 12.0 * 0.12)  # [m/s]


def test_a_muscle_without_its_partner_is_left_out():
    model = leg()
    cut = amputate(model, "right", CUT, surgery="myoplasty")
    assert "soleus_r" not in cut.muscles  # its partners are the peronei, which this leg has not
    (alone,) = (note for note in cut.notes if note.names == ("soleus_r",))
    assert alone.code == "surgery.left-out"
    assert "'soleus_r' is cut, was to be sewn to 'perlong', 'perbrev'" in str(alone)


def test_a_partner_must_be_sewn_too():
    with pytest.raises(ModelError, match=r"'gasmed_r' is to be sewn to 'fhl_r'.*says 'remove'"):
        amputate(leg(), "right", CUT, surgery="myoplasty", muscles={"gasmed": {"with": ["fhl"]}})


def test_names_of_pairs_are_new():
    model = leg(gasmed_tibant=(("pelvis", (0.0, 0.0, 0.0)), ("femur", (0.02, -0.1, 0.0))))
    cut = amputate(model, "right", CUT, surgery="myoplasty")
    assert {"gasmed_tibant_r", "gasmed_tibant_r_sewn"} <= set(cut.muscles)
    assert next(iter(cut.muscles)) == "gasmed_tibant_r_sewn"  # where its first muscle stood


def test_wraps_of_both_halves_are_kept():
    """A pair of calf and thigh muscles with surfaces at both ends: ranges count from the new ends."""
    model = the_model("gait")
    cut = amputate(
        model,
        "right",
        0.13,
        surgery="myoplasty",
        muscles={
            "gasmed": {"with": ["gaslat"]},
            "tibant": {"do": "remove"},
            "edl": {"do": "remove"},
            "gaslat": {"with": []},
        },
    )
    path = cut.muscles["gasmed_gaslat_r"].path
    last = len(path.points) - 1
    assert [(w.surface, w.first or 0, w.last) for w in path.wraps] == [
        ("GasMed_at_shank_r", 0, 1),
        ("Gastroc_at_condyles_r", 0, 1),
        ("GasLat_at_shank_r", last - 1, last),
        ("Gastroc_at_condyles_r", last - 1, last),
    ]
    assert path.points[-1].link == "femur_r" and path.points[last - 1].link == "tibia_r"


def test_a_bridge_makes_the_bone_end_wider():
    """Osteomyoplasty: the rows of the myoplasty over a bone end twice as wide; a femur has no second bone."""
    model = leg(perlong=(("tibia", (0.0126, -0.1, 0.02)), ("calcn", (0.0126, 0.0, 0.02))))
    plain, bridged = (amputate(model, "right", CUT, surgery=name) for name in ("myoplasty", "osteomyoplasty"))
    assert list(plain.muscles) == list(bridged.muscles)
    for name in ("gasmed_tibant_r", "soleus_perlong_r"):
        assert bridged.muscles[name].max_force == plain.muscles[name].max_force
    turns = [each.muscles["soleus_perlong_r"].path.points[-2].position for each in (plain, bridged)]
    assert np.allclose(turns, [(0.0126, -CUT, 0.02), (0.0126, -CUT, 0.08 * 0.42)], atol=1e-12)
    with pytest.raises(ModelError, match="thigh has one bone"):
        amputate(model, "right", below_hip=HIGH, surgery="osteomyoplasty")

"""Channels of EMG find their muscles by name; a wrong leg would be worse than none."""

import pytest

from softstride.pipeline.electrodes import find_electrodes

MUSCLES = [
    f"{name}_{side}"
    for side in "rl"
    for name in (
        "bflh",
        "semiten",
        "semimem",
        "recfem",
        "vaslat",
        "vasmed",
        "gasmed",
        "gaslat",
        "soleus",
        "tibant",
    )
] + ["glmax2_r", "glmax2_l", "glmed1_l", "tfl_l", "sart_l", "grac_l", "perlong_l", "addmagMid_l"]


@pytest.mark.parametrize(
    ("channel", "muscles"),
    [
        ("EMG R biceps femoris", ["bflh_r"]),
        ("Voltage.L Rect", ["recfem_l"]),
        ("Voltage.L Hams", ["bflh_l", "semiten_l", "semimem_l"]),
        ("R medial hamstrings", ["semiten_r", "semimem_r"]),
        ("L_Gast", ["gasmed_l", "gaslat_l"]),
        ("soleus_l", ["soleus_l"]),
        ("Left TA", ["tibant_l"]),
        ("LTA", ["tibant_l"]),
        ("RRF", ["recfem_r"]),
        ("R tibialis anterior", ["tibant_r"]),
        ("EMG L gluteus maximus", ["glmax2_l"]),
        ("L_VMO", ["vasmed_l"]),
        ("rvaslat", ["vaslat_r"]),
    ],
)
def test_names_with_a_side(channel: str, muscles: list[str]) -> None:
    found = find_electrodes([channel], MUSCLES)
    assert sorted(found) == sorted(muscles) and set(found.values()) == {channel}


@pytest.mark.parametrize(
    "channel", ["RF", "LG", "rectus femoris", "soleus", "lateral gastrocnemius", "R forearm", "", "R", "Fz1"]
)
def test_names_without_a_side_or_a_muscle_belong_to_nobody(channel: str) -> None:
    assert dict(find_electrodes([channel], MUSCLES)) == {}


def test_a_side_may_be_said_for_those_without() -> None:
    channels = ["gracilis", "semimem", "bifeml", "rf", "medgas", "tfl", "peronl", "addmag", "gmax", "RTA"]
    found = find_electrodes(channels, MUSCLES, "left")
    assert found["recfem_l"] == "rf" and found["gasmed_l"] == "medgas" and found["bflh_l"] == "bifeml"
    assert found["tibant_r"] == "RTA", "what a name says comes first"
    assert not any(name.endswith("_r") for name in found if name != "tibant_r")


def test_muscles_tell_their_side_in_front_as_well() -> None:
    muscles = ["r_soleus", "L.soleus", "soleus.right", "tibant_R", "l_r_soleus"]
    assert sorted(find_electrodes(["R soleus", "LTA"], muscles)) == ["r_soleus", "soleus.right"]
    assert sorted(find_electrodes(["soleus (L)", "RTA"], muscles)) == ["L.soleus", "tibant_R"]
    assert dict(find_electrodes(["L R soleus"], muscles)) == {}, "both sides are none"


def test_a_channel_that_is_called_like_a_muscle_is_its_own() -> None:
    assert dict(find_electrodes(["soleus_r", "R soleus"], MUSCLES)) == {"soleus_r": "soleus_r"}

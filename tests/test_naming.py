"""What names of models and recordings tell: a table of them as laboratories, models and files have them."""

import pytest

from softstride.naming import LETTERS, SIDES, label_sides, mirrored, other_side, side_of, split_side, words_of

# the name without its side: the names
RIGHT = {
    "knee_angle": "knee_angle_r", "hip_flexion": "hip_flexion_r", "knee_angle_beta": "knee_angle_r_beta",
    "subtalar_angle": "subtalar_angle_r", "arm_flex": "arm_flex_r", "pro_sup": "pro_sup_r",
    "shoulder_elev": "r_shoulder_elev", "hip_flexion_moment": "hip_flexion_r_moment",
    "knee_angle_coordAct": "knee_angle_r_coordAct", "femur": "femur_r", "calcn": "calcn_r",
    "foot1": "r_foot1", "ulna_radius_hand": "r_ulna_radius_hand", "tibia_amputated": "tibia_r_amputated",
    "socket": "right_socket", "shank_m1": "right_shank_m1", "stump_knee": "stump_knee_r",
    "tibia.1": "tibia_r.1", "tibia_imu": "tibia_r_imu", "foot": "right_foot", "hand": "hand.right",
    "thigh": "R thigh", "glmax1": "glmax1_r", "addmagDist": "addmagDist_r", "glut_med1": "glut_med1_r",
    "soleus": "soleus.R", "gasmed-stump1": "gasmed_r-stump1", "quad_2": "quad_r_2", "ASIS": "R.ASIS",
    "sh2": "r_sh2", "1ST_MET": "R_1ST_MET", "Knee.Lat": "R.Knee.Lat", "HJC_reg": "R_HJC_reg",
    "ground_force": "ground_force_r", "ground": "ground_right", "FORCE": "FORCE.RIGHT",
    "calcn_v": "calcn_r_v", "blade": "blade_r", "biceps femoris": "R biceps femoris",
    "tibialis anterior": "right tibialis anterior", "EMG soleus": "EMG R soleus",
}  # fmt: skip
LEFT = {
    "ankle_angle": "ankle_angle_l", "mtp_angle": "mtp_angle_l", "wrist_dev": "wrist_dev_l",
    "hip.x": "hip_l.x", "knee": "left_knee", "toes": "toes_l", "thigh": "l_thigh", "foot5": "l_foot5",
    "tibia_amputated": "tibia_l_amputated", "calcn": "calcn-left", "med_gas": "med_gas_l",
    "rect_fem": "rect_fem_l", "vasti": "left vasti", "addmagIsch": "addmagIsch_l", "PSIS": "L.PSIS",
    "5meta": "L_5meta", "Toe.Tip": "L.Toe.Tip", "HEEL_LAT": "L_HEEL_LAT", "ASIS": "L ASIS",
    "MT5_proj": "L.MT5_proj", "GRF": "Left_GRF", "ground_force": "L_ground_force",
    "ground_force_calcn": "ground_force_calcn_l", "foot": "foot.LEFT", "VMO": "L_VMO",
    "Voltage Hams": "Voltage.L Hams", "TA": "Left TA",
}  # fmt: skip
NEITHER = (
    "pelvis", "pelvis_tilt", "pelvis_tx", "lumbar_extension", "torso", "neck_flexion", "head", "sacrum",
    "Abdomen", "abdomen", "foot1", "pylon_socket", "socket_flexion", "pros_ankle_rx", "blade",
    "blade_2_mid", "board", "foot_flex", "lumbar5", "thorax", "clav_prot", "ground_thorax_rot_x",
    "scapula_upward_rot", "TRIlong", "BIClong", "ercspn", "rectus", "vasti", "flex_hal", "extensor",
    "gluteus", "C7", "T10", "L1", "S2", "CLAV", "STRN", "V.Sacral", "Top.Head", "MidASIS", "Mid_PSIS",
    "Neck", "Nose", "Rib", "Xiphoid", "toe", "latAnkle", "RASI", "LTOE", "rASIS", "RKneeLateral",
    "RankleMedial", "LBigToe", "RFAradius", "LMT5", "RTH1", "ASISl", "STERr", "A22:RASI",
    "boite:avant_droit", "plate 1", "plate1", "FP1", "ground_force_1", "1_ground_force", "ground_force",
    "Fx1", "F2Z", "rear", "all", "roll", "ball", "real_l2", "L5_S1_Flex_Ext", "Abs_r1", "knee_r2", "SOL",
    "GAS", "RF", "VL", "MH", "GMAX", "rf", "medgas", "latgas", "bifeml", "load cell", "goniometer",
    "IM EMG3", "RTA", "LTA", "EMG12", "r_l_swap", "r_and_l", "L R soleus", "rightFoot", "upright", "r",
    "Right", "l", "LEFT", "_r", "r_r", "l.", "bright", "",
)  # fmt: skip
"""None of these has a side of its own: RASI is for `label_sides` and those who know parts of bodies."""


@pytest.mark.parametrize(("side", "names"), [("right", RIGHT), ("left", LEFT)])
def test_names_with_a_side(side: str, names: dict[str, str]) -> None:
    found = {rest: name for rest, name in names.items() if split_side(name) != (side, rest)}
    assert not found, "the rest, and the name that does not tell it"
    assert [name for name in names.values() if side_of(name) != side] == []


def test_names_without_a_side() -> None:
    assert [name for name in NEITHER if split_side(name) != (None, name) or side_of(name)] == []


def test_styles_that_were_read_in_several_ways() -> None:
    told = {
        "hip_r_on_femur_r_in_femur_r": ("right", "hip_on_femur_in_femur"),
        "IL_R10_l": ("left", "IL_R10"),
        "rectus_L.2": ("left", "rectus.2"),
        "soleus (R)": ("right", "soleus"),
        "hip/l": ("left", "hip"),
        "EMG:R:soleus": ("right", "EMG:soleus"),
        "Knöchel_r": ("right", "Knöchel"),
        "rör": (None, "rör"),
    }
    assert {name: split_side(name) for name in told} == told


def test_words() -> None:
    assert words_of("arm_flex_R2") == {"arm", "flex", "r"}
    assert words_of("Toe.Tip") == {"toe", "tip"} and words_of("") == words_of("12") == set()


def test_sides() -> None:
    assert SIDES == ("right", "left") and tuple(LETTERS.values()) == SIDES
    assert [other_side(side) for side in SIDES] == ["left", "right"]


@pytest.mark.parametrize(
    ("label", "told"),
    [
        ("RASI", [("right", "ASI", False)]),
        ("r_calc", [("right", "calc", True)]),
        ("LeftHeel", [("left", "Heel", True)]),
        ("heel_l", [("left", "heel", True)]),
        ("l heel r", [("left", "heel r", True), ("right", "l heel", True)]),
        ("Rib", [("right", "ib", False)]),
        ("C7", []),
        ("R", []),
        ("", []),
    ],
)
def test_what_labels_may_tell(label: str, told: list[tuple[str, str, bool]]) -> None:
    assert list(label_sides(label)) == told


def test_the_same_on_the_left() -> None:
    right = ("femur_r", "R.ASIS", "right_thigh", "r_knee", "rightFoot", "RightFoot", "r2_knee", "IL_R10_r")
    left = ("femur_l", "L.ASIS", "left_thigh", "l_knee", "leftFoot", "LeftFoot", "l2_knee", "IL_R10_l")
    assert tuple(map(mirrored, right)) == left
    assert mirrored("upright") == "upleft"
    assert [mirrored(name) for name in ("torso", "radius", "femur_l", "RIGHT", "")] == [None] * 5

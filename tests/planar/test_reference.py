"""The reference chain: every number of its tables, to the digits that are printed."""

import numpy as np
import pytest

from softstride.planar import forward
from softstride.selfcheck.planar import FORCES, TORQUES, reference_chain, reference_state, rows

RTOL = 1e-10  # tables have 13 digits

M = """
7.10706 4.005247962468 1.510110393717
4.005247962468 5.22588 0.9503757300744
1.510110393717 0.9503757300744 1.532
"""
S = """
0 -4.048611301458 0.07556850393727
4.048611301458 0 1.081843783402
-0.07556850393727 -1.081843783402 0
"""
PHI = [
    (-423.4369283263, -1139.150470715),
    (15.12877891063, -2324.250938673),
    (347.8150007386, -752.4767595552),
]
TAU = [215.316473502, 47.99231510269, -63.91800825748]

# phi_1, phi_2, phi_3 as x, y of the proximal form
PROXIMAL = """
weight:0 0 14.715 0 14.715 0 14.715
weight:1 0 0 0 37.278 0 37.278
weight:2 0 0 0 0 0 90.252
weight:3 0 0 0 0 0 0
contact:hand 0 0 0 0 0 0
contact:bar 0 0 0 0 0 0
contact:strap 0 0 0 0 -15 -10
contact:ground 395.062373159 -112.3172886256 395.062373159 -112.3172886256 395.062373159 -112.3172886256
omega2:1 0 0 -0.2276968724369 -1.014440060665 -1.716103154717 -6.375831973636
alpha:1 0 0 -5.765314239969 1.294057748662 -36.23543301824 9.753039473477
omega2:2 0 0 0 0 3.592779746511 -7.452766517654
alpha:2 0 0 0 0 -69.98808228333 -33.73938576085
omega2:3 0 0 0 0 0 0
alpha:3 0 0 0 0 0 0
"""

# thdd_1 to thdd_3, then phi_1, phi_2, phi_3 as x, y
INDUCED = """
muscle:A 35.83450443548 -23.71634450683 -20.61006486707 -269.9212120993 -912.7721268071 218.9896845058 -294.2075818311 118.9836057941 -241.0611863471
muscle:B 1.739231976667 -1.960951109261 -0.4979059679809 4.040232765642 -20.58111243559 -147.3432427845 -1210.874243735 -0.8978295464897 -17.17659486344
muscle:C 24.1935722477 -17.69050125807 -12.87359129496 -147.1817490727 -553.9980171941 -164.2254496967 -550.1724611289 66.50222250385 -174.1022535719
muscle:D -20.03766378089 43.70782470484 -48.11227830138 17.96335972241 440.504959191 112.6409802224 -207.6516867346 125.6676302958 -258.0477252009
muscle:E -5.48929055904 8.365177751442 -0.7509115911487 -3.54082846362 -7.346656624313 0.3262244861864 -8.214638771667 8.978688134648 -19.56978547366
weight:1 -0.4323578811838 0.2861473493755 0.2486688212204 -2.946783811149 -33.65990012748 -2.642199675582 3.5497342216 -1.435585631981 2.908501328722
weight:2 -4.055283482208 4.120954799919 1.440907512647 -13.77457470235 -45.62236994021 -10.91773996506 -46.26360283309 -1.62492204109 36.99798755999
weight:3 -18.39393694141 26.48214388176 -5.565950404255 -12.15030887148 -25.64588490092 0.8077095359563 -28.55438622964 31.98269187508 -65.55237378963
contact:hand -8.159617029359 9.511949312082 -5.134110802234 -5.801994719256 -12.86093911894 -0.05377083434792 -14.15116083968 16.92520421874 -29.04524473571
contact:bar -2.075325115143 6.358202852932 -6.200739145713 -0.7496569675815 -0.6558363024157 0.7123520155474 -0.98399257881 -0.5185147144832 -7.447345841437
contact:strap -1.164325505985 0.5197645103907 0.8252535719508 4.644482627341 17.87693659275 5.464717652984 17.69283015094 -5.932543949942 6.13635973264
omega2:1 1.058016536228 -1.972251417764 0.2516166831814 1.750773538773 5.45841409512 0.7777333613387 4.61127060132 -1.871280493764 1.68294392882
omega2:2 5.052108799253 -4.109380889045 1.304939601066 4.167013083828 10.0329270425 0.6079425582714 10.83178077361 -8.819770298507 11.39189734686
omega2:3 0.1142431275814 -0.2249479547609 0.02693560206477 0.06431864311082 0.1191358150265 -0.01616247166295 0.1372002614485 -0.1245954073479 0.4080603716173
"""  # noqa: E501

CHAIN, STATE = reference_chain(), reference_state()


def matrix(text):
    return np.array([[float(x) for x in line.split()] for line in text.strip().splitlines()])


def near(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=RTOL, atol=1e-12)


def test_matrices():
    near(forward.mass_matrices(CHAIN, STATE), matrix(M))
    near(forward.velocity_matrices(CHAIN, STATE), matrix(S))


def test_forward_dynamics_and_ground_reaction():
    near(STATE.alpha, [0.0, 8.183876827687, 49.67778802701, -95.64723058261])
    near(STATE.force["ground"], [-395.062373159, 112.3172886256])


@pytest.mark.parametrize("form", ["distal", "proximal"])
def test_totals(form):
    near(CHAIN.reactions(STATE, form=form).force, PHI)
    torques = CHAIN.torques(STATE, form=form)
    near(torques.required, TAU)
    near(torques.given, TAU)


def test_hanging_still_without_muscles():
    bare = CHAIN.changed(muscles=())
    still = STATE.changed(tension={}, omega=None, alpha=None)
    near(bare.reactions(still).force, [(30, -591.83), (30, -554.552), (15, -474.3)])
    near(bare.torques(still).required, [8.769996959872, -67.22566549266, 28.8741997319])


@pytest.mark.parametrize("label", rows(FORCES))
def test_distal_contributions(label):
    found = CHAIN.contributions(STATE)
    column = found.column(label)
    near(found.force[:, column].ravel(), rows(FORCES)[label])
    near(found.torque[:, column], rows(TORQUES)[label])


def test_the_table_has_all_sources():
    assert set(CHAIN.contributions(STATE).labels) == set(rows(FORCES)) == set(rows(TORQUES))


@pytest.mark.parametrize("label", [*rows(PROXIMAL), *(f"muscle:{m}" for m in "ABCDE")])
def test_proximal_contributions(label):
    found = CHAIN.contributions(STATE, form="proximal")
    wanted = rows(FORCES)[label] if label.startswith("muscle") else rows(PROXIMAL)[label]
    near(found.force[:, found.column(label)].ravel(), wanted)


@pytest.mark.parametrize("label", rows(INDUCED))
def test_induced_contributions(label):
    found = CHAIN.induced(STATE)
    column = found.column(label)
    near(found.acceleration[:, column], rows(INDUCED)[label][:3])
    near(found.force[:, column].ravel(), rows(INDUCED)[label][3:])


def test_what_is_not_in_the_induced_table_is_zero():
    found = CHAIN.induced(STATE)
    rest = [k for k, label in enumerate(found.labels) if label not in rows(INDUCED)]
    assert {found.labels[k] for k in rest} == {"weight:0", "contact:ground", "residual"}
    assert np.abs(found.force[:, rest]).max() < 1e-11
    assert np.abs(found.acceleration[:, rest]).max() < 1e-12

"""Hill muscles: the balance of fibre and elastic tendon, at an instant and through a trial.

The unknown is the length x of the fibre along the tendon. Its force minus that of the tendon is below zero where the
tendon is long and above it where the tendon is slack, so a root lies between, and a Newton step that leaves this
interval, or that does not halve the residual, is replaced by bisection.
"""

from __future__ import annotations

import math

from softstride.engine.jit import inner, kernel
from softstride.engine.kernels.hill_curve import curve_at
from softstride.engine.kernels.hill_fibre import (
    ACTIVE,
    DAMPING,
    FORCE,
    HEIGHT,
    LEAST_ALONG,
    OPTIMAL,
    PASSIVE,
    RELAXED,
    RIGID,
    SLACK,
    SPEED,
    TENDON,
    VELOCITY,
    Fibres,
    Muscles,
    put_fibre,
    put_rigid,
    put_short,
)
from softstride.engine.kernels.tables import Array

STEPS = 200  # bisection alone needs 60
ROUNDING = 1e-14  # of the maximal force
FASTEST = 1e6  # greatest velocities at which a balance is looked for
FIRST_STRAIN = 0.01  # of the tendon, where the search begins
STAGE = 1.0 - 1.0 / math.sqrt(2.0)  # of a step of time


@inner
def excess(
    muscles: Muscles, j: int, length: float, activation: float, x: float, rate: float, share: float
) -> tuple[float, float]:
    """Return fibre force minus tendon force over the maximal force, and its slope, at x.

    The rate of x changes with x by ``share`` [1/s].
    """
    numbers, tables, curves = muscles.numbers, muscles.tables, muscles.curves
    height, optimal, slack = numbers[j, HEIGHT], numbers[j, OPTIMAL], numbers[j, SLACK]
    fibre = math.sqrt(x * x + height * height)
    cosine = x / fibre if fibre > 0.0 else 1.0
    turn = height * height / (fibre * fibre * fibre) if height > 0.0 else 0.0  # slope of the cosine
    relaxed = numbers[j, RELAXED]
    top = relaxed + (1.0 - relaxed) * activation
    speed = rate * cosine / numbers[j, SPEED]
    # d/dx of v / v_max = (dx/dt) cos(alpha) / v_max, d cos(alpha) / dx = h² / l³; dx/dt changes by share.
    speeding = (share * cosine + rate * turn) / numbers[j, SPEED]
    active, active_slope = curve_at(tables, curves[j, ACTIVE], fibre / optimal)
    passive, passive_slope = curve_at(tables, curves[j, PASSIVE], fibre / optimal)
    factor, factor_slope = curve_at(tables, curves[j, VELOCITY], speed / top)
    tendon, tendon_slope = curve_at(tables, curves[j, TENDON], (length - x) / slack)
    # (a f_l f_v + f_p + beta v / v_max) cos(alpha) - f_t((L - x) / l_s) and its derivative by x: along the
    # fibre dl/dx = cos(alpha), then the turning of the fibre, then the tendon, which gets shorter as x grows.
    force = activation * active * factor + passive + numbers[j, DAMPING] * speed
    stiffness = (activation * active_slope * factor + passive_slope) * cosine / optimal
    stiffness += (activation * active * factor_slope / top + numbers[j, DAMPING]) * speeding
    return force * cosine - tendon, stiffness * cosine + force * turn + tendon_slope / slack


@inner
def balanced(
    muscles: Muscles,
    j: int,
    length: float,
    activation: float,
    rate: float,
    base: float,
    share: float,
    start: float,
) -> float:
    """Return x where forces balance; its rate is rate + (x - base) share. The least length if there is no balance."""
    low = muscles.numbers[j, LEAST_ALONG]
    # Above x = L - l_s the tendon is slack, above x = base of a time step the fibre lengthens: beyond both it
    # pulls harder than the tendon, and a root lies below.
    high = length - muscles.numbers[j, SLACK]
    if share > 0.0:
        high = max(high, base)
    if not high > low:
        return low
    value, _ = excess(muscles, j, length, activation, low, rate + (low - base) * share, share)
    if value >= 0.0:
        return low
    if share == 0.0:
        value, _ = excess(muscles, j, length, activation, high, rate, share)
        if value <= 0.0:  # the path shortens faster than the fibre can
            return high
    x = min(max(start, low), high)
    before = math.inf
    for _ in range(STEPS):
        value, slope = excess(muscles, j, length, activation, x, rate + (x - base) * share, share)
        if abs(value) <= ROUNDING:
            break
        if value < 0.0:
            low = x
        else:
            high = x
        # Newton inside the bracket. On falling parts of f_l the slope may be negative: bisection leaves the
        # root where the residual rises, the stable one.
        step = x - value / slope
        if not (slope > 0.0 and low < step < high and abs(value) <= 0.5 * before):
            step = 0.5 * (low + high)
        before = abs(value)
        if step in (x, low, high):
            break
        x = step
    return x


@inner
def put_balance(
    muscles: Muscles, f: int, j: int, length: float, activation: float, x: float, rate: float, found: Fibres
) -> None:
    """Write a fibre that was found, and what is missing to the tendon's force."""
    numbers = muscles.numbers
    pull, _ = curve_at(muscles.tables, muscles.curves[j, TENDON], (length - x) / numbers[j, SLACK])
    pull *= numbers[j, FORCE]
    if x <= numbers[j, LEAST_ALONG]:
        put_short(muscles, f, j, pull, found)
        return
    # The fibre's force, sign changed: pull + push is tendon less fibre, the residual.
    push = -put_fibre(muscles, f, j, x, rate, activation, found)
    if push > 0.0 and pull <= ROUNDING * numbers[j, FORCE]:  # a fibre that cannot follow does not push
        found.damping[f, j] += push
    else:
        found.residual[f, j] = pull + push


@inner
def rate_at(muscles: Muscles, j: int, length: float, activation: float, x: float) -> float:
    """Return the rate of x at which forces balance; zero if no rate matters to them."""
    # The force grows with dx/dt (f_v, damping), so a fibre that is too strong shortens: doubled that way
    # until the sign changes, then halved.
    value, _ = excess(muscles, j, length, activation, x, 0.0, 0.0)
    reach = math.copysign(muscles.numbers[j, SPEED], -value)
    near, far = 0.0, reach
    for _ in range(STEPS):
        there, _ = excess(muscles, j, length, activation, x, far, 0.0)
        if there * value <= 0.0:
            break
        near, far = far, 2.0 * far
        if abs(far) > FASTEST * abs(reach):
            return 0.0
    for _ in range(STEPS):
        middle = 0.5 * (near + far)
        if middle in (near, far):
            break
        there, _ = excess(muscles, j, length, activation, x, middle, 0.0)
        if there * value > 0.0:
            near = middle
        else:
            far = middle
    return far


@inner
def put_unknown(f: int, j: int, found: Fibres) -> None:
    """Write that nothing is known."""
    found.length[f, j] = found.velocity[f, j] = found.cosine[f, j] = math.nan
    found.active[f, j] = found.passive[f, j] = found.damping[f, j] = found.residual[f, j] = math.nan
    found.short[f, j] = False


@kernel
def hill_equilibrium(muscles: Muscles, length: Array, speed: Array, activation: Array, found: Fibres) -> None:
    """Balance fibres and tendons, each frame for itself; the fibre takes all of the speed along the tendon."""
    for j in range(length.shape[1]):
        slack = muscles.numbers[j, SLACK]
        strain = FIRST_STRAIN * slack
        for f in range(length.shape[0]):
            L, a, v = length[f, j], activation[f, j], speed[f, j]
            if math.isnan(L + a + v):
                put_unknown(f, j, found)
            elif muscles.numbers[j, RIGID]:
                put_rigid(muscles, f, j, L, v, a, found)
            else:
                # v = V cos(alpha): the fibre takes all the speed of the path.
                x = balanced(muscles, j, L, a, v, 0.0, 0.0, L - slack - strain)
                put_balance(muscles, f, j, L, a, x, v, found)
                strain = L - slack - x  # where the next search begins


@inner
def between(before: float, after: float, rise: float, fall: float, share: float, span: float) -> float:
    """Return a cubic between two values with these slopes."""
    rest = 1.0 - share
    return rest * rest * ((1.0 + 2.0 * share) * before + share * span * rise) + share * share * (
        (1.0 + 2.0 * rest) * after - rest * span * fall
    )


@kernel
def hill_dynamics(
    muscles: Muscles,
    time: Array,
    length: Array,
    speed: Array,
    activation: Array,
    first: Array,
    substeps: int,
    found: Fibres,
) -> None:
    """Follow fibres through a trial: L-stable steps of second order, two balances each.

    Path lengths are cubics, activations lines, between frames. A fibre begins at the length along the tendon in
    ``first``, or in balance at rest where that is NaN, and so it begins again after frames that are not known.
    """
    for j in range(length.shape[1]):
        slack, x, known = muscles.numbers[j, SLACK], first[j], False
        for f in range(length.shape[0]):
            L, V, a = length[f, j], speed[f, j], activation[f, j]
            if math.isnan(L + V + a):
                put_unknown(f, j, found)
                known = False
                continue
            if muscles.numbers[j, RIGID]:
                put_rigid(muscles, f, j, L, V, a, found)
                continue
            if not known:
                known = True
                if f > 0 or math.isnan(x):
                    x = balanced(muscles, j, L, a, 0.0, 0.0, 0.0, L - slack * (1.0 + FIRST_STRAIN))
                    put_balance(muscles, f, j, L, a, x, 0.0, found)
                else:
                    put_balance(muscles, f, j, L, a, x, rate_at(muscles, j, L, a, x), found)
                continue
            rate = 0.0
            span = time[f] - time[f - 1]
            h = span / substeps
            # [Alexander1977], gamma = 1 - 1 / sqrt(2): x1 = x + gamma h r1, base = x + (1 - gamma) h r1, new
            # x = base + gamma h r2. Each stage is a balance at its instant with the rate r = (x - base) /
            # (gamma h), so that no curve is inverted.
            for k in range(substeps):
                share = (k + STAGE) / substeps
                here = between(length[f - 1, j], L, speed[f - 1, j], V, share, span)
                now = activation[f - 1, j] + share * (a - activation[f - 1, j])
                per = 1.0 / (STAGE * h)
                stage = balanced(muscles, j, here, now, 0.0, x, per, x)
                base = x + (1.0 - STAGE) / STAGE * (stage - x)
                share = (k + 1.0) / substeps
                here = between(length[f - 1, j], L, speed[f - 1, j], V, share, span)
                now = activation[f - 1, j] + share * (a - activation[f - 1, j])
                x = balanced(muscles, j, here, now, 0.0, base, per, stage)
                rate = (x - base) * per
            put_balance(muscles, f, j, L, a, x, rate, found)

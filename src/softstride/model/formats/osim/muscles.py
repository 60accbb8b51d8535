"""Muscles and ligaments: their parameters, by the names and defaults that OpenSim gives each kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple
from xml.etree.ElementTree import Element

from softstride.model.checks import as_given
from softstride.model.formats.osim.defaults import flag, holder, number
from softstride.model.formats.osim.functions import inner_function, read_function
from softstride.model.formats.osim.paths import read_path
from softstride.model.functions import SimmSpline
from softstride.model.muscle import Ligament, Muscle
from softstride.model.path import WrapSurface

if TYPE_CHECKING:
    from softstride.model.formats.osim.context import Context


class Kind(NamedTuple):
    """What a class of muscles stands for: its curves and the values it leaves out."""

    curves: str
    rise_time: float
    fall_time: float
    min_activation: float = 0.01
    rigid: bool = False
    remark: str = ""


KINDS = {
    "Thelen2003Muscle": Kind("thelen2003", 0.015, 0.050),
    "Thelen2003MuscleV1": Kind("thelen2003", 0.015, 0.050),
    "Thelen2003Muscle_Deprecated": Kind("thelen2003", 0.015, 0.050),
    "Millard2012EquilibriumMuscle": Kind("millard2012", 0.010, 0.040),
    "Millard2012AccelerationMuscle": Kind(
        "millard2012", 0.010, 0.040, remark="a mass between fibre and tendon is not modelled"
    ),
    "DeGrooteFregly2016Muscle": Kind("degrootefregly2016", 0.015, 0.060, 0.0),
    "RigidTendonMuscle": Kind("millard2012", 0.010, 0.040, 0.0, rigid=True),
    "Schutte1993Muscle_Deprecated": Kind("schutte1993", 0.010, 0.040),
    "Schutte1993Muscle": Kind("schutte1993", 0.010, 0.040),
    "Delp1990Muscle_Deprecated": Kind(
        "schutte1993", 0.010, 0.040, remark="its own curves (Delp 1990) were not read"
    ),
    "Delp1990Muscle": Kind("schutte1993", 0.010, 0.040, remark="its own curves (Delp 1990) were not read"),
}
"""Classes of muscles that are understood; the values are the defaults of OpenSim 4.6."""

_MAPPED = {
    "max_isometric_force",
    "optimal_fiber_length",
    "tendon_slack_length",
    "pennation_angle_at_optimal",
    "pennation_angle",
    "max_contraction_velocity",
    "activation_time_constant",
    "deactivation_time_constant",
    "minimum_activation",
    "ignore_tendon_compliance",
    "appliesForce",
    "isDisabled",
}
_SILENT = {
    "GeometryPath",
    "path",
    "components",
    "optimal_force",
    "VisibleObject",
    "display_preference",
    "Appearance",
}
"""Paths are read elsewhere, pictures are not needed, and OpenSim does not use the optimal force of a muscle."""

LIGAMENT_CURVE = SimmSpline(
    as_given((-5.0, 0.998, 0.999, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.601, 1.602, 5.0)),
    as_given((0.0, 0.0, 0.0, 0.0, 0.035, 0.12, 0.26, 0.55, 1.17, 2.0, 2.0, 2.0, 2.0)),
)
"""Curve of a ligament that gives none (OpenSim 4.6)."""


def read_muscle(
    element: Element, surfaces: Mapping[str, WrapSurface], unknown: set[str], context: Context
) -> Muscle | None:
    """Return a muscle; None, with a note, if its path is not understood."""
    kind = KINDS[element.tag]
    path = read_path(element, surfaces, unknown, context)
    if path is None:
        return None
    if kind.remark:
        context.note("osim.muscle-simplified", f"{context.label(element)}: {kind.remark}", element)
    angle = "pennation_angle_at_optimal"
    if element.find(angle) is None and element.find("pennation_angle") is not None:
        angle = "pennation_angle"  # name before format 3
    least = (
        number(element, "min_control", 0.0, context) if kind.min_activation == 0.0 else kind.min_activation
    )
    return context.build(
        element,
        Muscle,
        context.name(element),
        path,
        number(element, "max_isometric_force", 1000.0, context),
        number(element, "optimal_fiber_length", 0.1, context),
        number(element, "tendon_slack_length", 0.2, context),
        number(element, angle, 0.0, context),
        number(element, "max_contraction_velocity", 10.0, context),
        kind.curves,
        number(element, "activation_time_constant", kind.rise_time, context),
        number(element, "deactivation_time_constant", kind.fall_time, context),
        number(element, "minimum_activation", least, context),
        kind.rigid or flag(element, "ignore_tendon_compliance", False, context),
        not context.disabled(element),
        _parameters(element, context),
    )


def _parameters(element: Element, context: Context) -> dict[str, float]:
    """Return further numbers by name; those of a curve as "ForceVelocityCurve.isometric_slope"; flags as 1 and 0."""
    tags = {child.tag: None for child in element}
    for default in context.model.findall(f"defaults/{element.tag}"):
        tags |= {child.tag: None for child in default}
    result: dict[str, float] = {}
    for tag in tags:
        if tag in _MAPPED or tag in _SILENT:
            continue
        owner = holder(element, tag, context)
        child = owner.find(tag)
        if child is None:
            continue
        if len(child) == 0:
            _keep(result, tag, child, element, context)
        elif tag.endswith("Curve"):
            for part in child:
                _keep(result, f"{tag}.{part.tag}", part, element, context)
        else:
            text = f"{context.label(element)}: <{tag}> is not understood: left out"
            context.note("osim.parameter-not-understood", text, element)
    return result


def _keep(result: dict[str, float], key: str, child: Element, element: Element, context: Context) -> None:
    word = (child.text or "").strip()
    if not word:
        return
    if word.lower() in ("true", "false"):
        result[key] = float(word.lower() == "true")
        return
    try:
        result[key] = float(word)
    except ValueError:
        context.note(
            "osim.parameter-no-number",
            f"{element.tag}: <{key}> is {word[:40]!r} (in {element.get('name')!r} and maybe others): left out",
            element,
        )


def read_ligament(
    element: Element, surfaces: Mapping[str, WrapSurface], unknown: set[str], context: Context
) -> Ligament | None:
    """Return a ligament; None, with a note, if its path is not understood."""
    path = read_path(element, surfaces, unknown, context)
    if path is None:
        return None
    tag = "force_length_curve"
    given = element.find(tag) is not None or any(child.get("name") == tag for child in element)
    curve = read_function(inner_function(element, tag, context), context) if given else LIGAMENT_CURVE
    return context.build(
        element,
        Ligament,
        context.name(element),
        path,
        number(element, "resting_length", 0.0, context),
        number(element, "pcsa_force", 0.0, context),
        curve,
        not context.disabled(element),
    )

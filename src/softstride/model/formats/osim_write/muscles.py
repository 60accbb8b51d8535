"""Muscles, ligaments and actuators of the document."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from softstride.model.actuator import Actuator, CoordinateActuator, PointActuator
from softstride.model.formats.osim_write.elements import Names, add, add_flag, add_numbers
from softstride.model.formats.osim_write.functions import add_function
from softstride.model.formats.osim_write.paths import add_path
from softstride.model.formats.osim_write.plan import Plan
from softstride.model.muscle import Ligament, Muscle

CLASSES = {
    "thelen2003": "Thelen2003Muscle",
    "millard2012": "Millard2012EquilibriumMuscle",
    "degrootefregly2016": "DeGrooteFregly2016Muscle",
    "schutte1993": "Schutte1993Muscle_Deprecated",
}
LEAST_ACTIVATION = 0.01
"""Least activation that OpenSim accepts for muscles of Thelen and Millard."""


def add_muscle(parent: Element, muscle: Muscle, wraps: dict[str, str], plan: Plan, names: Names) -> None:
    """Append a muscle."""
    kind = CLASSES.get(muscle.curves)
    if kind is None:
        kind = CLASSES["degrootefregly2016"]
        text = f"muscle {muscle.name!r}: OpenSim has no curves {muscle.curves!r}; written as a {kind}."
        plan.notes.add("osim.other-curves", text, severity="warning", names=(muscle.name,))
    element = add(parent, kind, name=names.new(muscle.name))
    add_flag(element, "appliesForce", muscle.enabled)
    add_path(element, muscle.path, wraps, f"muscle {muscle.name!r}", plan)
    for tag, value in (
        ("max_isometric_force", muscle.max_force),
        ("optimal_fiber_length", muscle.fibre_length),
        ("tendon_slack_length", muscle.tendon_length),
        ("pennation_angle_at_optimal", muscle.pennation),
        ("max_contraction_velocity", muscle.max_velocity),
        ("activation_time_constant", muscle.rise_time),
        ("deactivation_time_constant", muscle.fall_time),
    ):
        if kind != "Schutte1993Muscle_Deprecated" or "constant" not in tag:
            add_numbers(element, tag, [value])
    least = _add_activation(element, kind, muscle, plan)
    flags = {key: bool(value) for key, value in muscle.parameters.items() if key.startswith("ignore_")}
    flags["ignore_tendon_compliance"] = muscle.rigid_tendon
    for flag, value in flags.items():
        add_flag(element, flag, value and kind != CLASSES["thelen2003"])
        if value and kind == CLASSES["thelen2003"]:
            text = f"muscle {muscle.name!r}: <{flag}> is left out; OpenSim's {kind} does not have it."
            plan.notes.add("osim.flag-left-out", text, names=(muscle.name,))
    _add_parameters(element, muscle, least)


def _add_activation(element: Element, kind: str, muscle: Muscle, plan: Plan) -> float:
    """Append the least activation; return the least control that goes with it."""
    least = muscle.min_activation
    if kind not in (CLASSES["thelen2003"], CLASSES["millard2012"]):
        if "min_control" not in muscle.parameters:
            add_numbers(element, "min_control", [least])
        return 0.0
    if least < LEAST_ACTIVATION and (kind == CLASSES["thelen2003"] or least == 0.0):
        plan.notes.add(
            "osim.least-activation-raised",
            f"muscle {muscle.name!r}: OpenSim refuses a least activation of {least:g}; written as "
            f"{LEAST_ACTIVATION:g}.",
            names=(muscle.name,),
            values={"given": least, "written": LEAST_ACTIVATION},
        )
        least = LEAST_ACTIVATION
    add_numbers(element, "minimum_activation", [least])
    return least


def _add_parameters(element: Element, muscle: Muscle, least_control: float) -> None:
    """Append the further numbers under their names; "Curve.value" stands inside the curve."""
    curves: dict[str, Element] = {}
    for key, value in muscle.parameters.items():
        if key.startswith("ignore_"):
            continue
        curve, dot, name = key.partition(".")
        target = element
        if dot:
            if curve not in curves:
                curves[curve] = add(element, curve, name=curve)
            target = curves[curve]
        tag = name or curve
        # OpenSim wants the least control to be no smaller than the least activation
        add_numbers(target, tag, [max(value, least_control) if tag == "min_control" else value])


def add_ligament(parent: Element, band: Ligament, wraps: dict[str, str], plan: Plan, names: Names) -> None:
    """Append a ligament."""
    element = add(parent, "Ligament", name=names.new(band.name))
    add_flag(element, "appliesForce", band.enabled)
    add_path(element, band.path, wraps, f"ligament {band.name!r}", plan)
    add_numbers(element, "resting_length", [band.resting_length])
    add_numbers(element, "pcsa_force", [band.force])
    if add_function(element, band.curve, "force_length_curve"):
        plan.modern.append(f"curve of ligament {band.name!r}")


def add_actuator(parent: Element, actuator: Actuator, plan: Plan, names: Names) -> None:
    """Append an actuator."""
    scale = 1.0
    if isinstance(actuator, CoordinateActuator):
        target = plan.target(actuator.coordinate)
        if target is None:
            plan.notes.add(
                "osim.actuator-of-rod-left-out",
                f"actuator {actuator.name!r} drives the strain of a rod, which became several joints: left out.",
                severity="warning",
                names=(actuator.name, actuator.coordinate),
            )
            return
        coordinate, length = target
        scale = 1.0 / length  # the same power: force times strain rate
    element = add(parent, type(actuator).__name__, name=names.new(actuator.name))
    add_flag(element, "appliesForce", actuator.enabled)
    add_numbers(element, "min_control", [actuator.lower])
    add_numbers(element, "max_control", [actuator.upper])
    add_numbers(element, "optimal_force", [scale * actuator.optimal_force])
    if isinstance(actuator, CoordinateActuator):
        add(element, "coordinate", coordinate)
    elif isinstance(actuator, PointActuator):
        add(element, "body", plan.body(actuator.link))
        add_numbers(element, "point", actuator.point)
        add_flag(element, "point_is_global", actuator.point_in_world)
        add_numbers(element, "direction", actuator.direction)
        add_flag(element, "force_is_global", actuator.direction_in_world)
    else:
        add(element, "bodyA", plan.body(actuator.link))
        add(element, "bodyB", plan.body(actuator.reaction))
        add_flag(element, "torque_is_global", actuator.axis_in_world)
        add_numbers(element, "axis", actuator.axis)

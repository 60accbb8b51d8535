"""One muscle of OpenSim on a slider: its length and speed are set at will, its own classes say the rest."""

from dataclasses import dataclass

import numpy as np
import opensim as osim

KINDS = {
    "thelen2003": "Thelen2003Muscle",
    "millard2012": "Millard2012EquilibriumMuscle",
    "degrootefregly2016": "DeGrooteFregly2016Muscle",
    "schutte1993": "Schutte1993Muscle_Deprecated",
}
OFFSET = 10.0
"""Length of the path where the slider is at zero [m]: no muscle is that long, so the path never turns round."""


@dataclass(frozen=True)
class Answer:
    """What OpenSim says of one state."""

    inextensible: float
    fibre_length: float
    fibre_velocity: float
    pennation: float
    active_multiplier: float
    passive_multiplier: float
    velocity_multiplier: float
    tendon_length: float
    tendon_force: float
    fibre_force_along: float


class Slider:
    """A muscle between the ground and a body that slides along x."""

    def __init__(self, muscle, **properties):
        """Copy the numbers of a `softstride` muscle; further properties by OpenSim's names (dots go inside)."""
        osim.Logger.setLevelString("Off")
        self.model = osim.Model()
        body = osim.Body("block", 1.0, osim.Vec3(0), osim.Inertia(1.0))
        joint = osim.SliderJoint("slide", self.model.getGround(), body)
        joint.updCoordinate().setName("x")
        self.model.addBody(body)
        self.model.addJoint(joint)
        self.muscle = _new(KINDS[muscle.curves])
        self.muscle.setName(muscle.name)
        self.muscle.setMaxIsometricForce(muscle.max_force)
        self.muscle.setOptimalFiberLength(muscle.fibre_length)
        self.muscle.setTendonSlackLength(muscle.tendon_length)
        self.muscle.setPennationAngleAtOptimalFiberLength(muscle.pennation)
        self.muscle.setMaxContractionVelocity(muscle.max_velocity)
        self.muscle.set_ignore_tendon_compliance(muscle.rigid_tendon)
        for name, value in {**muscle.parameters, **properties}.items():
            _set(self.muscle, name, value)
        self.muscle.addNewPathPoint("origin", self.model.getGround(), osim.Vec3(-OFFSET, 0, 0))
        self.muscle.addNewPathPoint("insertion", body, osim.Vec3(0))
        self.model.addForce(self.muscle)
        self.state = self.model.initSystem()
        self.coordinate = self.model.getCoordinateSet().get("x")

    def move(self, length, speed, activation=None):
        """Set length [m] and speed [m/s] of the path, and the activation."""
        self.coordinate.setValue(self.state, length - OFFSET)
        self.coordinate.setSpeedValue(self.state, speed)
        if activation is not None:
            self.muscle.setActivation(self.state, activation)
        self.model.realizeVelocity(self.state)
        assert np.isclose(self.muscle.getLength(self.state), length, rtol=0, atol=1e-12)

    def inextensible(self, length, speed, activation=1.0):
        """Return the active force that static optimisation uses [N]."""
        self.move(length, speed)
        return self.muscle.calcInextensibleTendonActiveFiberForce(self.state, activation)

    def equilibrium(self, length, speed, activation):
        """Return OpenSim's equilibrium of fibre and tendon."""
        self.move(length, speed, activation)
        self.muscle.computeEquilibrium(self.state)
        return self.answer()

    def swing(self, middle, amplitude, omega, activation, fibre, time):
        """Let OpenSim integrate the fibre while the path swings; return its lengths at these instants [m]."""
        sine = osim.Sine(amplitude, omega, 0.0, middle - OFFSET)
        self.coordinate.setPrescribedFunction(sine)
        self.coordinate.setDefaultIsPrescribed(True)
        controller = osim.PrescribedController()
        controller.setName("constant")
        controller.addActuator(self.muscle)
        controller.prescribeControlForActuator(self.muscle.getName(), osim.Constant(activation))
        self.model.addController(controller)
        self.state = self.model.initSystem()
        self.model.realizeVelocity(self.state)
        self.muscle.setActivation(self.state, activation)  # where the excitation keeps it
        path = f"/forceset/{self.muscle.getName()}/fiber_length"
        self.model.setStateVariableValue(self.state, path, float(fibre))
        manager = osim.Manager(self.model)
        manager.setIntegratorAccuracy(1e-9)
        manager.initialize(self.state)
        lengths = [float(fibre)]
        for instant in time[1:]:
            state = manager.integrate(float(instant))
            lengths.append(self.model.getStateVariableValue(state, path))
        return np.array(lengths)

    def answer(self):
        """Return what OpenSim says of the present state."""
        self.model.realizeDynamics(self.state)
        m, s = self.muscle, self.state
        return Answer(
            np.nan, m.getFiberLength(s), m.getFiberVelocity(s), m.getPennationAngle(s),
            m.getActiveForceLengthMultiplier(s), m.getPassiveForceMultiplier(s), m.getForceVelocityMultiplier(s),
            m.getTendonLength(s), m.getTendonForce(s), m.getFiberForceAlongTendon(s),
        )  # fmt: skip


def _new(kind):
    """Return a muscle with the numbers of OpenSim's constructor.

    The registry is asked only for what Python cannot construct: a file with <defaults> (run_hamner_s01 has them for
    Thelen2003Muscle) changes what the registry gives for the rest of the process.
    """
    if hasattr(osim, kind):
        return getattr(osim, kind)()
    made = osim.OpenSimObject.newInstanceOfType(kind)
    made.thisown = False
    return osim.Muscle.safeDownCast(made)


def _set(owner, name, value):
    first, _, rest = name.partition(".")
    prop = owner.updPropertyByName(first)
    if rest:
        inside = prop.getValueAsObject()
        _set(inside, rest, value)
        return
    _assign(prop, value)


def _assign(prop, value):
    kind = prop.getTypeName()
    if kind == "bool":
        osim.PropertyHelper.setValueBool(bool(value), prop)
    elif prop.size() == 0:
        osim.PropertyHelper.appendValueDouble(float(value), prop)
    else:
        osim.PropertyHelper.setValueDouble(float(value), prop)

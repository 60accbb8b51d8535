"""What the parts of the writer share: the names things get in the document, and the notes."""

from __future__ import annotations

from dataclasses import dataclass, field

from softstride.model.formats.osim_write.elements import Names
from softstride.model.formats.osim_write.rods import Rigid
from softstride.model.link import WORLD
from softstride.model.model import Model
from softstride.notes import Notes

GROUND = "ground"


@dataclass
class Plan:
    """Names and notes of one document.

    Attributes:
        source: The model as given.
        rigid: The same without rods.
        bodies: Names of bodies by link.
        joints: Names of joints by link: those that the model has, or else the body's.
        coordinates: Names of coordinates by ours.
        notes: What OpenSim cannot express.
        modern: What needs OpenSim 4.6.
        angles: Links whose rotation is written as three angles.
    """

    source: Model
    rigid: Rigid
    bodies: dict[str, str] = field(default_factory=dict)
    joints: dict[str, str] = field(default_factory=dict)
    coordinates: dict[str, str] = field(default_factory=dict)
    coordinate_names: Names = field(default_factory=Names)
    notes: Notes = field(default_factory=Notes)
    modern: list[str] = field(default_factory=list)
    angles: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, source: Model, rigid: Rigid) -> Plan:
        """Give every link and coordinate its name in the document."""
        plan = cls(source, rigid, notes=Notes(rigid.notes))
        names = Names([GROUND])
        plan.bodies = {link: names.new(link) for link in rigid.model.link_names}
        plan.coordinates = {name: plan.coordinate_names.new(name) for name in rigid.model.coordinate_names}
        plan.joints = _joint_names(rigid.model, plan.bodies)
        for kind, table in (("link", names), ("coordinate", plan.coordinate_names)):
            plan.tell_changed(kind, table)
        return plan

    def tell_changed(self, kind: str, names: Names) -> None:
        """Note the names that OpenSim does not allow."""
        for old, new in names.changed.items():
            text = f"{kind} {old!r} is called {new!r}: OpenSim does not allow its name."
            self.notes.add("osim.name-changed", text, names=(old, new))

    @property
    def model(self) -> Model:
        """The model without rods."""
        return self.rigid.model

    def body(self, link: str) -> str:
        """Return the name of a body, "ground" for the world."""
        return GROUND if link == WORLD else self.bodies[link]

    def frame(self, link: str) -> str:
        """Return the path of a body."""
        return f"/{GROUND}" if link == WORLD else f"/bodyset/{self.bodies[link]}"

    def joint(self, link: str) -> str:
        """Return the name of the joint that carries a link."""
        return self.joints[link]

    def parent_frame(self, link: str) -> str:
        """Return the name of the frame of a joint on its parent."""
        return f"{self.body(self.model.link(link).parent)}_offset"

    def child_frame(self, link: str) -> str:
        """Return the name of the frame of a joint on its own body."""
        own = f"{self.bodies[link]}_offset"
        return own if own != self.parent_frame(link) else f"{own}_child"

    def target(self, coordinate: str) -> tuple[str, float] | None:
        """Return a coordinate of the document and the factor by which ours is multiplied; None if there are several.

        The strain of a segment of a rod is one angle, or one displacement, where the segment is one piece.
        """
        if coordinate in self.coordinates:
            return self.coordinates[coordinate], 1.0
        news, length = self.rigid.coordinates[coordinate]
        return (self.coordinates[news[0]], length) if len(news) == 1 else None

    def coordinate_path(self, coordinate: str) -> str:
        """Return the path of a coordinate of the document from our name for it."""
        for link in self.model.links:
            if coordinate in link.coordinate_names:  # the first one owns it
                return f"/jointset/{self.joint(link.name)}/{self.coordinates[coordinate]}"
        return self.coordinates[coordinate]


def _joint_names(model: Model, bodies: dict[str, str]) -> dict[str, str]:
    """Return names of joints by link; of several links of one joint, the last has its name."""
    last = {link.joint_name: link.name for link in model.links if link.joint_name}
    names = Names()
    kept = {link: names.new(joint) for joint, link in last.items()}
    return {link: kept.get(link) or names.new(f"{body}_joint") for link, body in bodies.items()}

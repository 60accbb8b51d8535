"""`Stage`: a scene on a viser server. What is solid is sent once; a frame sends poses, points and colours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.scene.colours import ESTIMATED, MEASURED, activity_colours
from softstride.scene.scene import Scene
from softstride.scene.shapes import merge
from softstride.viewer.theme import LIGHT, Rgb, Theme

LAYERS = {
    "bones": "Skeleton",
    "body": "Body",
    "prosthesis": "Prosthesis",
    "muscles": "Muscles",
    "measured": "Markers, measured",
    "model": "Markers, model",
    "force_measured": "Ground reaction, measured",
    "force_estimated": "Ground reaction, estimated",
    "floor": "Floor and plates",
    "names": "Names of segments",
}
"""Layers that can be switched, and what a page calls them."""

HIDDEN = ("names",)
ARROW = 0.4
"""Length of an arrow [m] for a force of one body weight."""

SLIGHT = 0.02  # [body weights]; smaller forces are not drawn


def lit(colours: ArrayLike) -> NDArray[np.uint8]:
    """Return colours of lines and arrows so that they look as written: viser takes theirs as amounts of light."""
    part = np.asarray(colours, dtype=np.float64) / 255.0
    light = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return np.rint(255.0 * light).astype(np.uint8)


def _cast(scene: Scene) -> tuple[Any, ...]:
    """Return what two scenes have in common that can be drawn by the same nodes."""
    names = None if scene.markers is None else scene.markers.names
    pulls = None if scene.muscles is None else (scene.muscles.names, tuple(scene.muscles.first))
    sources = {arrow.source for arrow in scene.arrows}
    ribbons = tuple((ribbon.name, len(ribbon.half_width)) for ribbon in scene.ribbons)
    return scene.links, len(scene.shapes), ribbons, names, sources, pulls


class Stage:
    """A scene that is drawn below a node of a server.

    Attributes:
        scene: The scene.
        visible: Which layers are shown.
        frame: The frame that is drawn; -1 before the first.
    """

    def __init__(
        self, server: Any, scene: Scene, root: str, *, theme: Theme = LIGHT, ghost: bool = False
    ) -> None:
        self.scene = scene
        self.frame = -1
        self._server, self._root, self._ghost, self._theme = server, root, ghost, theme
        self._handles: dict[str, list[Any]] = {name: [] for name in LAYERS}
        self._links: list[Any] = []
        self._ribbons: list[Any] = []
        self._solids()
        if not ghost:
            self._floor()
            self._dots()
            self._arrows()
            self._muscles()
            self._names()
        self.visible = {
            name: name not in HIDDEN for name, handles in self._handles.items() if handles or name == "floor"
        }
        if ghost:
            self.visible.pop("floor")
        for name, shown in self.visible.items():
            self.show(name, shown)

    # what is made once

    def _solids(self) -> None:
        scene, add = self.scene, self._server.scene
        for i, link in enumerate(scene.links):
            node = f"{self._root}/link_{i}"
            self._links.append(add.add_frame(node, show_axes=False))
            for layer in ("bones", "body", "prosthesis"):
                meshes = [s.mesh() for s in scene.shapes if s.link == link and s.layer == layer]
                if not meshes or (self._ghost and layer == "body"):
                    continue
                vertices, faces = merge(meshes)
                handle = add.add_mesh_simple(
                    f"{node}/{layer}",
                    vertices,
                    faces,
                    color=self._colour(layer),
                    opacity=0.45 if self._ghost else 0.16 if layer == "body" else None,
                    cast_shadow=not self._ghost,
                    receive_shadow=False,
                )
                self._handles[layer].append(handle)
        for i, ribbon in enumerate(scene.ribbons):
            handle = add.add_mesh_simple(
                f"{self._root}/ribbon_{i}",
                ribbon.corners(0).reshape(-1, 3),
                ribbon.faces(),
                color=self._colour("prosthesis"),
                opacity=0.45 if self._ghost else None,
                side="double",
                flat_shading=True,
                cast_shadow=not self._ghost,
                receive_shadow=False,
            )
            self._ribbons.append(handle)
            self._handles["prosthesis"].append(handle)

    def _floor(self) -> None:
        scene, add = self.scene, self._server.scene
        low, high = scene.base.min(axis=0), scene.base.max(axis=0)
        middle = 0.5 * (low + high)
        size = float(max(high[0] - low[0], high[2] - low[2])) + 8.0
        self._grid = add.add_grid(
            f"{self._root}/floor",
            width=2.0 * np.ceil(size / 2),
            height=2.0 * np.ceil(size / 2),
            plane="xz",
            cell_size=0.5,
            cell_thickness=0.8,
            section_size=1.0,
            plane_color=self._theme.ground,
            plane_opacity=1.0,
            cell_color=self._theme.cells,
            section_color=self._theme.sections,
            shadow_opacity=0.18,
            position=(round(float(middle[0])), scene.floor - 0.002, round(float(middle[2]))),
        )
        self._handles["floor"].append(self._grid)
        self._plates = []
        for i, plate in enumerate(scene.plates):
            handle = add.add_mesh_simple(
                f"{self._root}/plate_{i}",
                plate.corners + np.array([0.0, -0.001, 0.0]),
                np.array([(0, 1, 2), (0, 2, 3)]),
                color=self._theme.plate,
                opacity=0.9,
                side="double",
                cast_shadow=False,
            )
            self._plates.append(handle)
            self._handles["floor"].append(handle)

    def _dots(self) -> None:
        markers, add = self.scene.markers, self._server.scene
        if markers is None:
            return
        if np.isfinite(markers.measured).any():
            self._seen = add.add_point_cloud(
                f"{self._root}/measured",
                np.zeros((0, 3), dtype=np.float32),
                MEASURED,
                point_size=0.016,
                point_shape="circle",
                precision="float32",
            )
            self._gaps = add.add_line_segments(
                f"{self._root}/gaps", np.zeros((0, 2, 3), dtype=np.float32), lit(MEASURED), thickness=0.003
            )
            self._handles["measured"] += [self._seen, self._gaps]
        self._modelled = add.add_point_cloud(
            f"{self._root}/model",
            markers.model[0],
            self._theme.model,
            point_size=0.011,
            point_shape="circle",
            precision="float32",
        )
        self._handles["model"].append(self._modelled)

    def _arrows(self) -> None:
        for source, colour in (("measured", MEASURED), ("estimated", ESTIMATED)):
            if any(arrow.source == source for arrow in self.scene.arrows):
                handle = self._server.scene.add_arrows(
                    f"{self._root}/force_{source}",
                    np.zeros((0, 2, 3), dtype=np.float32),
                    lit(colour),
                    shaft_radius=0.010 if source == "measured" else 0.007,
                    head_radius=0.030 if source == "measured" else 0.021,
                    head_length=0.055 if source == "measured" else 0.11,  # both are seen where they agree
                )
                self._handles[f"force_{source}"].append(handle)

    def _muscles(self) -> None:
        muscles = self.scene.muscles
        if muscles is None:
            return
        self._ends, self._owner = muscles.segments()
        self._colours = lit(activity_colours(muscles.activity))  # (n, m, 3)
        self._bundle = self._server.scene.add_line_segments(
            f"{self._root}/muscles",
            muscles.points[0][self._ends],
            np.repeat(self._colours[0][self._owner][:, None], 2, axis=1),
            thickness=0.012,
        )
        self._handles["muscles"].append(self._bundle)

    def _names(self) -> None:
        for i, link in enumerate(self.scene.links):
            handle = self._server.scene.add_label(f"{self._root}/link_{i}/name", link, visible=False)
            self._handles["names"].append(handle)

    def _colour(self, layer: str) -> Rgb:
        if self._ghost:
            return self._theme.ghost
        return {"bones": self._theme.bones, "body": self._theme.body}.get(layer, self._theme.prosthesis)

    # what changes

    def show(self, layer: str, shown: bool) -> None:
        """Show or hide a layer."""
        self.visible[layer] = shown
        for handle in self._handles[layer]:
            handle.visible = shown
        if shown and self.frame >= 0:
            frame, self.frame = self.frame, -1
            self.draw(frame)

    def recast(self, scene: Scene) -> None:
        """Let another motion of the same person move what is drawn; solids are not sent again.

        Raises:
            InputError: The scene has other links, ribbons, markers, forces or muscles.
        """
        if _cast(scene) != _cast(self.scene):
            raise InputError("a stage takes another scene only if it has the same links, markers and forces")
        self.scene = scene
        if scene.muscles is not None:
            self._colours = lit(activity_colours(scene.muscles.activity))
        frame, self.frame = max(self.frame, 0), -1
        self.draw(min(frame, scene.n_frames - 1))

    def move(self, shift: NDArray[np.floating[Any]]) -> None:
        """Put the whole stage elsewhere [m]."""
        self._server.scene.get_handle_by_name(self._root).position = shift

    def draw(self, frame: int) -> None:
        """Draw a frame; only what changes with time, and of that only what is shown, is sent."""
        if frame == self.frame:
            return
        scene = self.scene
        self.frame = frame
        poses = scene.poses[frame].astype(np.float64)
        for handle, pose in zip(self._links, poses, strict=True):
            handle.position = pose[:3]
            handle.wxyz = pose[[6, 3, 4, 5]]
        if self.visible.get("prosthesis"):
            for handle, ribbon in zip(self._ribbons, scene.ribbons, strict=True):
                handle.vertices = ribbon.corners(frame).reshape(-1, 3)
        self._draw_markers(frame)
        for source in ("measured", "estimated"):
            if self.visible.get(f"force_{source}"):
                self._handles[f"force_{source}"][0].points = self.arrows(frame, source)
        muscles = scene.muscles
        if self.visible.get("muscles") and muscles is not None:
            self._bundle.points = muscles.points[frame][self._ends]
            self._bundle.colors = np.repeat(self._colours[frame][self._owner][:, None], 2, axis=1)

    def _draw_markers(self, frame: int) -> None:
        markers = self.scene.markers
        if markers is None:
            return
        if self.visible.get("model"):
            self._modelled.points = markers.model[frame]
        if self.visible.get("measured"):
            seen = np.isfinite(markers.measured[frame]).all(axis=1)
            self._seen.points = markers.measured[frame][seen]
            self._gaps.points = np.stack([markers.measured[frame][seen], markers.model[frame][seen]], axis=1)

    def arrows(self, frame: int, source: str) -> NDArray[np.float32]:
        """Return the arrows of a frame that are long enough to see, from tail to tip, shape (k, 2, 3), [m].

        A force acts at its tail: arrows stand on the floor, `ARROW` metres for each body weight.
        """
        scene = self.scene
        heavy = max(scene.weight, 1.0)
        found = []
        for arrow in scene.arrows:
            point, force = arrow.point[frame], arrow.force[frame]
            if arrow.source != source or not (np.isfinite(point).all() and np.isfinite(force).all()):
                continue
            if np.linalg.norm(force) > SLIGHT * heavy:
                found.append((point, point + force * (ARROW / heavy)))
        return np.array(found, dtype=np.float32).reshape(-1, 2, 3)

    def paint(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        for layer in ("bones", "body", "prosthesis"):
            for handle in self._handles[layer]:
                handle.color = self._colour(layer)
        if self._ghost:
            return
        self._grid.cell_color, self._grid.section_color = theme.cells, theme.sections
        self._grid.plane_color = theme.ground
        for handle in self._plates:
            handle.color = theme.plate
        if self.scene.markers is not None:
            self._modelled.colors = np.array(theme.model, dtype=np.uint8)

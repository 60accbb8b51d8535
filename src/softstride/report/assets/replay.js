"use strict";
// The replay: a scene on a plain canvas, drawn from far to near. No graphics card is needed.
(() => {
  const scene = JSON.parse(document.getElementById("scene").textContent);
  const box = document.getElementById("replay");
  const canvas = box.querySelector("canvas"), track = box.querySelector(".track");
  const play = box.querySelector(".play"), scrub = box.querySelector(".scrub"), clock = box.querySelector(".clock");
  const speed = box.querySelector("select");
  const ink = canvas.getContext("2d"), tape = track.getContext("2d");
  const BODY_WEIGHT = 0.45;  // metres that an arrow of one body weight is long
  const BEHIND = 0.1;  // metres by which a body is behind its own bones and muscles

  const time = unpack(scene.time), n = time.length;
  const position = unpack(scene.position), quaternion = unpack(scene.quaternion), base = unpack(scene.base);
  const ribbons = scene.ribbons.map((r) => ({ ...r, centre: unpack(r.centre), across: unpack(r.across),
    points: r.half_width.length }));
  const arrows = scene.arrows.map((a) => ({ ...a, point: unpack(a.point), force: unpack(a.force) }));
  const markers = scene.markers && { count: scene.markers.names.length, model: unpack(scene.markers.model),
    measured: unpack(scene.markers.measured) };
  const muscles = scene.muscles && { first: scene.muscles.first, points: unpack(scene.muscles.points),
    activity: unpack(scene.muscles.activity), count: scene.muscles.names.length };
  const { contacts } = scene;
  const layers = {};
  for (const each of box.querySelectorAll("[data-layer]")) layers[each.dataset.layer] = each.checked;

  const camera = { yaw: 0.5, pitch: 0.12, zoom: 1 };
  const VIEWS = { side: [0, 0.05], front: [Math.PI / 2, 0.05], above: [0, 1.45] };
  let now = strongest(), playing = false, last = 0, colours = {}, seen = true, eye = null;

  function strongest() {  // the replay starts where the ground pushes hardest
    let best = -1, at = 0;
    for (let f = 0; f < n; f++) {
      let size = 0;
      for (const a of arrows) size = Math.max(size, Math.hypot(a.force[3 * f], a.force[3 * f + 1], a.force[3 * f + 2]) || 0);
      if (size > best) { best = size; at = f; }
    }
    return time[at];
  }

  function readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "paper", "grid", "faint", "skin", "bone", "blade", "measured", "estimated", "right",
      "left", "doubt", "plate"]) colours[name] = style.getPropertyValue(`--${name}`).trim();
  }

  // where between two frames
  function moment() {
    let hi = n - 1, lo = 0;
    while (hi - lo > 1) {
      const mid = (hi + lo) >> 1;
      if (time[mid] <= now) lo = mid; else hi = mid;
    }
    const step = time[hi] - time[lo];
    const share = step > 0 ? Math.min(Math.max((now - time[lo]) / step, 0), 1) : 0;
    return { lo, hi, share, near: share < 0.5 ? lo : hi };
  }

  function between(values, at, m, size) {  // linear; where one frame is not known, the nearer one
    const a = values[m.lo * size + at], b = values[m.hi * size + at];
    const mixed = a + m.share * (b - a);
    return Number.isFinite(mixed) ? mixed : values[m.near * size + at];
  }

  function point(values, index, m, size) {
    return [between(values, 3 * index, m, size), between(values, 3 * index + 1, m, size),
      between(values, 3 * index + 2, m, size)];
  }

  function poseOf(link, m) {
    const links = scene.links.length;
    let q = [0, 1, 2, 3].map((k) => between(quaternion, 4 * link + k, m, 4 * links));
    const size = Math.hypot(...q) || 1;
    q = q.map((c) => c / size);
    const [x, y, z, w] = q;
    return {
      p: point(position, link, m, 3 * links),
      R: [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]],
    };
  }

  const turned = (R, v) => R.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
  const placed = (pose, v) => turned(pose.R, v).map((c, i) => c + pose.p[i]);
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

  // how tall the person is, for the distance of the camera
  const tall = (() => {
    let top = 0.8;
    for (const f of [0, n >> 1]) {
      for (const shape of scene.shapes) {
        const pose = poseOf(shape.link, { lo: f, hi: f, share: 0, near: f });
        for (const p of shape.points) top = Math.max(top, placed(pose, p)[1] + Math.max(...shape.radii) - scene.floor || 0);
      }
    }
    return Math.min(1.08 * top, 3);
  })();

  function look(m) {
    const target = point(base, 0, m, 3);
    target[1] = scene.floor + 0.5 * tall;
    const { yaw, pitch } = camera, away = (1.95 * tall) / camera.zoom;
    const back = [Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch)];
    const ahead = back.map((c) => -c);
    const right = [Math.cos(yaw), 0, -Math.sin(yaw)];
    return { at: target.map((c, i) => c + away * back[i]), target, ahead, right, up: cross(right, ahead), away };
  }

  function project(p) {
    const d = [p[0] - eye.at[0], p[1] - eye.at[1], p[2] - eye.at[2]];
    const far = dot(d, eye.ahead), scale = eye.size / Math.max(far, 0.05);
    return { x: eye.cx + dot(d, eye.right) * scale, y: eye.cy - dot(d, eye.up) * scale, far, scale };
  }

  function fillStroke(fill, stroke, width = 1) {
    ink.fillStyle = fill;
    ink.fill();
    ink.strokeStyle = stroke;
    ink.lineWidth = width;
    ink.stroke();
  }

  function capsule(a, b, ra, rb) {
    const d = Math.hypot(b.x - a.x, b.y - a.y);
    ink.beginPath();
    if (d <= Math.abs(ra - rb)) {
      const big = ra > rb ? a : b;
      ink.arc(big.x, big.y, Math.max(ra, rb), 0, 2 * Math.PI);
      return;
    }
    const along = Math.atan2(b.y - a.y, b.x - a.x), side = Math.acos((ra - rb) / d);
    ink.arc(a.x, a.y, ra, along + side, along - side + 2 * Math.PI);
    ink.arc(b.x, b.y, rb, along - side, along + side);
    ink.closePath();
  }

  function hull(points) {  // of points on the screen, by Andrew's monotone chain
    const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
    const half = (list) => {
      const out = [];
      for (const p of list) {
        while (out.length > 1) {
          const [a, b] = [out[out.length - 2], out[out.length - 1]];
          if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0) break;
          out.pop();
        }
        out.push(p);
      }
      out.pop();
      return out;
    };
    return [...half(sorted), ...half(sorted.reverse())];
  }

  function line(points, close = false) {
    ink.beginPath();
    points.forEach((p, i) => (i ? ink.lineTo(p.x, p.y) : ink.moveTo(p.x, p.y)));
    if (close) ink.closePath();
  }

  function solids(items, m) {
    const poses = scene.links.map((_, i) => poseOf(i, m));
    for (const shape of scene.shapes) {
      if (shape.layer === "body" ? !layers.body : !layers.bones) continue;
      const pose = poses[shape.link];
      if (!pose.p.every(Number.isFinite)) continue;
      const points = shape.points.map((p) => project(placed(pose, p)));
      const behind = shape.layer === "body" ? BEHIND : 0;
      const far = points.reduce((sum, p) => sum + p.far, 0) / points.length + behind;
      const [fill, edge] = { body: [colours.skin, colours.faint], bones: [colours.bone, colours.faint],
        prosthesis: [colours.blade, colours.ink] }[shape.layer];
      items.push({ far, draw: () => {
        if (shape.kind === "capsule") {
          capsule(points[0], points[1], shape.radii[0] * points[0].scale, shape.radii[1] * points[1].scale);
        } else if (shape.kind === "ellipsoid") {
          ellipse(points[0], shape, pose);
        } else {
          line(hull(points), true);
          const wide = 2 * shape.radii[0] * points[0].scale;
          fillStroke(edge, edge, wide + 2);
          fillStroke(fill, fill, wide);
          return;
        }
        fillStroke(fill, edge);
      } });
    }
  }

  function ellipse(centre, shape, pose) {
    let a = 0, b = 0, c = 0;
    for (let k = 0; k < 3; k++) {
      const e = turned(pose.R, shape.axes.map((row) => row[k] * shape.radii[k]));
      const x = dot(e, eye.right) * centre.scale, y = -dot(e, eye.up) * centre.scale;
      a += x * x;
      b += x * y;
      c += y * y;
    }
    const mid = 0.5 * (a + c), off = Math.hypot(0.5 * (a - c), b);
    ink.beginPath();
    ink.ellipse(centre.x, centre.y, Math.sqrt(mid + off), Math.sqrt(Math.max(mid - off, 0)), 0.5 * Math.atan2(2 * b, a - c), 0, 2 * Math.PI);
  }

  function strips(items, m) {
    for (const ribbon of ribbons) {
      const edges = [];
      for (let k = 0; k < ribbon.points; k++) {
        const c = point(ribbon.centre, k, m, 3 * ribbon.points), w = point(ribbon.across, k, m, 3 * ribbon.points);
        const half = ribbon.half_width[k];
        edges.push([c.map((x, i) => x + half * w[i]), c.map((x, i) => x - half * w[i])].map(project));
      }
      for (let k = 0; k + 1 < edges.length; k++) {
        const quad = [edges[k][0], edges[k + 1][0], edges[k + 1][1], edges[k][1]];
        const thick = Math.max(2 * ribbon.half_thickness[k] * quad[0].scale, 1.5);
        const far = quad.reduce((sum, p) => sum + p.far, 0) / 4;
        items.push({ far, draw: () => {
          line(quad, true);
          fillStroke(colours.blade, colours.blade, thick);
        } });
      }
    }
  }

  function activityColour(a) {
    const stops = scene.palette;
    if (!Number.isFinite(a)) return `rgb(${stops[3]})`;
    const place = 2 * Math.min(Math.max(a, 0), 1), k = Math.min(Math.floor(place), 1), share = place - k;
    return `rgb(${stops[k].map((c, i) => Math.round(c + share * (stops[k + 1][i] - c)))})`;
  }

  function cords(items, m) {
    if (!muscles || !layers.muscles) return;
    const size = 3 * muscles.first[muscles.count];
    for (let i = 0; i < muscles.count; i++) {
      const path = [];
      for (let k = muscles.first[i]; k < muscles.first[i + 1]; k++) path.push(project(point(muscles.points, k, m, size)));
      if (path.length < 2 || !path.every((p) => Number.isFinite(p.x))) continue;
      const active = between(muscles.activity, i, m, muscles.count);
      const far = path.reduce((sum, p) => sum + p.far, 0) / path.length - 0.02;
      items.push({ far, draw: () => {
        line(path);
        ink.strokeStyle = activityColour(active);
        ink.lineWidth = Math.max((0.006 + 0.012 * (active || 0)) * path[0].scale, 1);
        ink.stroke();
      } });
    }
  }

  function dots(items, m) {
    if (!markers || !layers.markers) return;
    for (let i = 0; i < markers.count; i++) {
      const model = project(point(markers.model, i, m, 3 * markers.count));
      const at = point(markers.measured, i, m, 3 * markers.count);
      const r = Math.max(0.009 * model.scale, 1.5);
      items.push({ far: model.far - 2 * BEHIND, draw: () => {
        ink.beginPath();
        ink.arc(model.x, model.y, r, 0, 2 * Math.PI);
        ink.strokeStyle = colours.ink;
        ink.lineWidth = 1;
        ink.stroke();
        if (at.every(Number.isFinite)) {
          const seen = project(at);
          ink.beginPath();
          ink.arc(seen.x, seen.y, 0.7 * r, 0, 2 * Math.PI);
          ink.fillStyle = colours.measured;
          ink.fill();
        }
      } });
    }
  }

  function pushes(m) {
    for (const arrow of arrows) {
      if (!layers[arrow.source]) continue;
      const p = point(arrow.point, 0, m, 3), f = point(arrow.force, 0, m, 3);
      const size = Math.hypot(...f);
      if (![...p, ...f].every(Number.isFinite) || size < 0.02 * scene.weight) continue;
      const tip = project(p.map((c, i) => c + (BODY_WEIGHT * f[i]) / scene.weight)), foot = project(p);
      const along = Math.atan2(tip.y - foot.y, tip.x - foot.x), head = Math.min(0.07 * foot.scale, 16);
      ink.strokeStyle = ink.fillStyle = colours[arrow.source];
      ink.lineWidth = 3;
      ink.setLineDash(arrow.source === "estimated" ? [7, 4] : []);
      line([foot, tip]);
      ink.stroke();
      ink.setLineDash([]);
      line([[0, 0], [-1, 0.4], [-1, -0.4]].map(([u, v]) => ({
        x: tip.x + head * (u * Math.cos(along) - v * Math.sin(along)),
        y: tip.y + head * (u * Math.sin(along) + v * Math.cos(along)) })), true);
      ink.fill();
    }
  }

  function floor() {
    const step = 0.5, wide = 2.5;
    const cx = Math.round(eye.target[0] / step) * step, cz = Math.round(eye.target[2] / step) * step;
    ink.strokeStyle = colours.grid;
    ink.lineWidth = 1;
    for (let k = -wide; k <= wide + 1e-9; k += step) {
      for (const ends of [[[cx + k, cz - wide], [cx + k, cz + wide]], [[cx - wide, cz + k], [cx + wide, cz + k]]]) {
        const drawn = ends.map(([x, z]) => project([x, scene.floor, z]));
        if (drawn.every((p) => p.far > 0.3)) { line(drawn); ink.stroke(); }
      }
    }
    for (const plate of scene.plates) {
      const corners = plate.corners.map(project);
      if (corners.every((p) => p.far > 0.3)) { line(corners, true); fillStroke(colours.plate, colours.faint); }
    }
  }

  function draw() {
    const ratio = Math.min(devicePixelRatio || 1, 2), wide = canvas.clientWidth, high = canvas.clientHeight;
    if (!wide || !high) return;
    if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(high * ratio)) {
      canvas.width = Math.round(wide * ratio);
      canvas.height = Math.round(high * ratio);
    }
    ink.setTransform(ratio, 0, 0, ratio, 0, 0);
    ink.clearRect(0, 0, wide, high);
    ink.lineJoin = ink.lineCap = "round";
    const m = moment();
    eye = look(m);
    eye.cx = wide / 2;
    eye.cy = 0.52 * high;
    eye.size = 1.8 * Math.min(high, 1.3 * wide);
    floor();
    const items = [];
    solids(items, m);
    strips(items, m);
    cords(items, m);
    dots(items, m);
    items.sort((a, b) => b.far - a.far);
    for (const item of items) item.draw();
    pushes(m);
    tell(ratio);
  }

  function tell(ratio) {
    const span = time[n - 1] - time[0] || 1;
    clock.textContent = `${now.toFixed(3)} s`;
    scrub.value = String(Math.round((1000 * (now - time[0])) / span));
    scrub.setAttribute("aria-valuetext", clock.textContent);
    box.dataset.time = String(now);
    document.dispatchEvent(new CustomEvent("replaytime", { detail: now }));
    const wide = track.clientWidth, high = track.clientHeight;
    track.width = Math.round(wide * ratio);
    track.height = Math.round(high * ratio);
    tape.setTransform(ratio, 0, 0, ratio, 0, 0);
    const at = (t) => 8 + ((wide - 16) * (t - time[0])) / span;
    const bars = (list, y, tallness, colour) => {
      tape.fillStyle = colour;
      for (const [a, b] of list) tape.fillRect(at(Math.max(a, time[0])), y, Math.max(at(Math.min(b, time[n - 1])) - at(Math.max(a, time[0])), 1.5), tallness);
    };
    bars(contacts.right, 0, 4, colours.right);
    bars(contacts.left, 6, 4, colours.left);
    bars(scene.doubtful, 12, 3, colours.doubt);
    tape.fillStyle = colours.ink;
    tape.fillRect(at(now) - 0.75, 0, 1.5, high);
  }

  function go(t) {
    now = Math.min(Math.max(t, time[0]), time[n - 1]);
    draw();
  }

  function tick(stamp) {
    if (!playing) return;
    const step = Math.min((stamp - last) / 1000, 0.1) * Number(speed.value);
    last = stamp;
    now += step;
    if (now > time[n - 1]) now = time[0];
    if (seen) draw();
    requestAnimationFrame(tick);
  }

  function toggle() {
    playing = !playing && n > 1;
    play.textContent = playing ? "Pause" : "Play";
    play.setAttribute("aria-pressed", String(playing));
    last = performance.now();
    if (playing) requestAnimationFrame(tick);
  }

  play.addEventListener("click", toggle);
  scrub.addEventListener("input", () => {
    if (playing) toggle();
    go(time[0] + (Number(scrub.value) / 1000) * (time[n - 1] - time[0]));
  });
  document.addEventListener("seek", (event) => { if (playing) toggle(); go(event.detail); });
  for (const each of box.querySelectorAll("[data-layer]")) {
    each.addEventListener("change", () => { layers[each.dataset.layer] = each.checked; draw(); });
  }
  for (const each of box.querySelectorAll("[data-view]")) {
    each.addEventListener("click", () => {
      [camera.yaw, camera.pitch] = VIEWS[each.dataset.view];
      draw();
    });
  }

  function turn(yaw, pitch) {
    camera.yaw += yaw;
    camera.pitch = Math.min(Math.max(camera.pitch + pitch, -0.2), 1.5);
    draw();
  }

  function zoom(factor) {
    camera.zoom = Math.min(Math.max(camera.zoom * factor, 0.4), 4);
    draw();
  }

  let held = null;
  canvas.addEventListener("pointerdown", (event) => { held = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return;
    turn(-0.008 * (event.clientX - held[0]), 0.006 * (event.clientY - held[1]));
    held = [event.clientX, event.clientY];
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { held = null; });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;  // without Ctrl the wheel scrolls the page
    event.preventDefault();
    zoom(Math.exp(-0.002 * event.deltaY));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = n > 1 ? (time[n - 1] - time[0]) / (n - 1) : 0;
    const keys = { " ": toggle, ArrowRight: () => go(now + step), ArrowLeft: () => go(now - step),
      ArrowUp: () => zoom(1.1), ArrowDown: () => zoom(1 / 1.1), a: () => turn(-0.1, 0), d: () => turn(0.1, 0) };
    const act = keys[event.key];
    if (act) { event.preventDefault(); act(); }
  });

  new IntersectionObserver(([entry]) => { seen = entry.isIntersecting; }).observe(canvas);
  const again = () => { readColours(); draw(); };
  addEventListener("resize", again);
  addEventListener("beforeprint", () => { document.documentElement.classList.add("printing"); again(); });
  addEventListener("afterprint", () => { document.documentElement.classList.remove("printing"); again(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  again();
})();

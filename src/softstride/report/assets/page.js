"use strict";
// Draws the figures: each when it comes into view, over the gait cycle or over time.
(() => {
  const data = JSON.parse(document.getElementById("figures").textContent);
  const plots = [...document.querySelectorAll(".plot")];
  const clocks = data.clocks.map(unpack);
  const PERCENT = Array.from({ length: 101 }, (_, i) => i);
  const DASHES = { solid: "solid", dash: "7px,4px", dot: "2px,3px" };
  const HEIGHT = 220;
  const PRINTED = { width: 222, height: 168 };  // pixels: three beside each other on A4
  let view = data.cycle ? "cycle" : "time";
  let printing = false;
  let palette = {};
  const replay = document.getElementById("replay");
  let cursor = replay ? Number(replay.dataset.time) : NaN;

  function readPalette() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["right", "left", "trunk", "norm", "ink", "faint", "grid", "doubt", "paper"]) {
      palette[name] = style.getPropertyValue(`--${name}`).trim();
    }
  }

  function faded(colour, share) {  // #rrggbb with an opacity
    const part = (i) => parseInt(colour.slice(i, i + 2), 16);
    return `rgba(${part(1)},${part(3)},${part(5)},${share})`;
  }

  function band(x, lo, hi) {  // closed polygons around what is known, one for each stretch
    const px = [], py = [];
    let start = -1;
    for (let i = 0; i <= lo.length; i++) {
      const known = i < lo.length && Number.isFinite(lo[i]) && Number.isFinite(hi[i]);
      if (known && start < 0) start = i;
      if (!known && start >= 0) {
        for (let k = start; k < i; k++) { px.push(x[k]); py.push(hi[k]); }
        for (let k = i - 1; k >= start; k--) { px.push(x[k]); py.push(lo[k]); }
        px.push(x[start], null);
        py.push(hi[start], null);
        start = -1;
      }
    }
    return { x: px, y: py };
  }

  function extent(range, values) {
    for (const y of values) {
      if (Number.isFinite(y)) {
        range[0] = Math.min(range[0], y);
        range[1] = Math.max(range[1], y);
      }
    }
  }

  function nullable(values) { return Array.from(values, (y) => (Number.isFinite(y) ? y : null)); }

  function shaded(shape, colour, share, name) {
    return { ...shape, type: "scatter", mode: "lines", line: { width: 0 }, fill: "toself",
      fillcolor: faded(colour, share), hoverinfo: "skip", name };
  }

  function figure(panel) {
    const traces = [], lines = [], drawn = [Infinity, -Infinity], wide = [Infinity, -Infinity];
    if (view === "cycle" && panel.norm) {
      const x = unpack(panel.norm.x), y = unpack(panel.norm.y);
      if (panel.norm.lo) {
        const lo = unpack(panel.norm.lo), hi = unpack(panel.norm.hi);
        traces.push(shaded(band(x, lo, hi), palette.norm, 0.3, "norm"));
        extent(drawn, lo);
        extent(drawn, hi);
      }
      lines.push({ x: Array.from(x), y: nullable(y), type: "scatter", mode: "lines", name: "norm",
        line: { color: palette.norm, width: 1.5, dash: panel.norm.lo ? "solid" : "4px,2px" },
        hovertemplate: "%{y:.3~g}" });
      extent(drawn, y);
    }
    for (const curve of panel[view]) {
      const x = view === "cycle" ? PERCENT : clocks[curve.x];
      const y = unpack(curve.y), colour = palette[curve.side || "trunk"];
      if (curve.lo) {
        const lo = unpack(curve.lo), hi = unpack(curve.hi);
        traces.push(shaded(band(x, lo, hi), colour, curve.style === "solid" ? 0.2 : 0.12, "band"));
        extent(wide, lo);
        extent(wide, hi);
      }
      const name = [curve.side || "trunk", curve.name].filter(Boolean).join(" ");
      lines.push({ x: Array.from(x), y: nullable(y), type: "scatter", mode: "lines", name,
        line: { color: colour, width: 1.8, dash: DASHES[curve.style] }, connectgaps: false,
        hovertemplate: "%{y:.3~g}" });
      extent(drawn, y);
    }
    return { traces: [...traces, ...lines], layout: layout(panel, drawn, wide) };
  }

  function layout(panel, drawn, wide) {
    const span = Math.max(drawn[1] - drawn[0], 1e-9 * Math.abs(drawn[1]), 1e-12);
    const low = Math.max(Math.min(drawn[0], wide[0]), drawn[0] - 0.6 * span);  // a wide band must not flatten curves
    const high = Math.min(Math.max(drawn[1], wide[1]), drawn[1] + 0.6 * span);
    const room = 0.06 * Math.max(high - low, span);
    const axis = { gridcolor: palette.grid, zerolinecolor: palette.faint, zerolinewidth: 1, linecolor: palette.faint,
      ticks: "outside", ticklen: 3, tickcolor: palette.faint, automargin: false };
    const cycle = view === "cycle";
    return {
      width: printing ? PRINTED.width : undefined,
      height: printing ? PRINTED.height : HEIGHT,
      autosize: !printing,
      margin: { l: 52, r: 16, t: 6, b: 36 },
      font: { family: "system-ui, sans-serif", size: printing ? 9 : 11, color: palette.ink },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      showlegend: false,
      hovermode: "x unified",
      hoverlabel: { bgcolor: palette.paper, bordercolor: palette.faint, font: { size: 11, color: palette.ink } },
      dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
      xaxis: { ...axis, title: { text: cycle ? "gait cycle [%]" : "time [s]", standoff: 4 },
        range: cycle ? [0, 100] : timeRange(panel), ...(cycle ? { dtick: 20 } : { nticks: 6 }), zeroline: false, hoverformat: ".3~f" },
      yaxis: { ...axis, range: [low - room, high + room], nticks: 6, zeroline: true, exponentformat: "none" },
      shapes: cycle ? toeOffs(panel) : stretches(),
    };
  }

  function timeRange(panel) {
    const range = [Infinity, -Infinity];
    for (const curve of panel.time) extent(range, clocks[curve.x]);
    return range[1] > range[0] ? range : [range[0] - 0.5, range[0] + 0.5];
  }

  function toeOffs(panel) {  // where the foot leaves the ground, for the sides that are drawn
    const sides = new Set(panel.cycle.map((curve) => curve.side));
    return Object.entries(data.duty).filter(([side]) => sides.has(side)).map(([side, at]) => ({
      type: "line", x0: at, x1: at, yref: "paper", y0: 0, y1: 1, layer: "below",
      line: { color: faded(palette[side], 0.6), width: 1, dash: "2px,3px" } }));
  }

  function stretches() {  // contacts as bars below, doubtful frames as shade
    const shapes = [];
    for (const [side, place] of [["right", 0.025], ["left", 0]]) {
      for (const [x0, x1] of data.contacts[side]) {
        shapes.push({ type: "rect", x0, x1, yref: "paper", y0: place, y1: place + 0.022, layer: "below",
          line: { width: 0 }, fillcolor: faded(palette[side], 0.6) });
      }
    }
    for (const [x0, x1] of data.doubtful) {
      shapes.push({ type: "rect", x0, x1: Math.max(x1, x0 + 1e-3), yref: "paper", y0: 0, y1: 1, layer: "below",
        line: { width: 0 }, fillcolor: faded(palette.doubt, 0.22) });
    }
    return shapes;
  }

  function draw(plot) {
    const panel = data.panels[Number(plot.dataset.panel)];
    plot.dataset.view = view;
    if (!panel[view].length) {
      Plotly.purge(plot);
      plot.textContent = panel.time.length ? "No whole cycle: see it over time." : "Nothing is known of it.";
      plot.classList.add("empty");
      return;
    }
    if (plot.classList.contains("empty")) {
      plot.textContent = "";
      plot.classList.remove("empty");
    }
    const { traces, layout: shape } = figure(panel);
    Plotly.react(plot, traces, shape, { displayModeBar: false, responsive: false, displaylogo: false });
    if (!plot.dataset.heard) {
      plot.dataset.heard = "yes";
      plot.on("plotly_click", (event) => {
        if (view === "time") document.dispatchEvent(new CustomEvent("seek", { detail: event.points[0].x }));
      });
    }
    place(plot);
  }

  function place(plot) {  // the line of the replay's time
    let line = plot.querySelector(":scope > .cursor");
    const axis = plot._fullLayout && plot._fullLayout.xaxis;
    const inside = view === "time" && axis && Number.isFinite(cursor) && !printing
      && cursor >= axis.range[0] && cursor <= axis.range[1];
    if (!inside) {
      if (line) line.hidden = true;
      return;
    }
    if (!line) {
      line = document.createElement("div");
      line.className = "cursor";
      plot.append(line);
    }
    line.hidden = false;
    line.style.left = `${axis._offset + axis.l2p(cursor)}px`;
  }

  const visible = new Set(), queue = new Set();
  let waiting = false;

  function work() {  // a few figures in each frame, so that the page stays quick
    waiting = false;
    const until = performance.now() + 24;
    for (const plot of queue) {
      queue.delete(plot);
      if (visible.has(plot)) draw(plot);
      if (performance.now() > until) break;
    }
    if (queue.size) ask();
  }

  function ask() {
    if (!waiting) {
      waiting = true;
      requestAnimationFrame(work);
    }
  }

  function stale() {  // everything is to be drawn anew, what is seen first
    readPalette();
    for (const plot of plots) delete plot.dataset.view;
    for (const plot of visible) queue.add(plot);
    ask();
  }

  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) {
        visible.add(target);
        if (target.dataset.view !== view) queue.add(target);
      } else {
        visible.delete(target);
      }
    }
    ask();
  }, { rootMargin: "300px" });

  for (const radio of document.querySelectorAll("input[name=view]")) {
    radio.addEventListener("change", () => {
      view = radio.value;
      document.documentElement.dataset.view = view;
      stale();
    });
  }

  document.addEventListener("replaytime", (event) => {
    cursor = event.detail;
    for (const plot of visible) if (plot.dataset.view === "time") place(plot);
  });

  let width = innerWidth, resizing = 0;
  addEventListener("resize", () => {
    if (innerWidth === width || printing) return;
    width = innerWidth;
    clearTimeout(resizing);
    resizing = setTimeout(stale, 120);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (!printing) stale(); });

  let closed = [];
  addEventListener("beforeprint", () => {
    printing = true;
    document.documentElement.classList.add("printing");
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const each of closed) each.open = true;
    readPalette();
    for (const plot of plots) draw(plot);
  });
  addEventListener("afterprint", () => {
    printing = false;
    document.documentElement.classList.remove("printing");
    for (const each of closed) each.open = false;
    stale();
  });

  document.documentElement.dataset.view = view;
  readPalette();
  for (const plot of plots) watcher.observe(plot);
})();

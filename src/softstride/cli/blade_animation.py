"""The animation of `softstride blade`: one HTML page that needs nothing else."""

from __future__ import annotations

import html
import json
from pathlib import Path

import numpy as np

from softstride.cli.blade_figure import outline
from softstride.simulation.load_curve import LoadTest

FRAMES = 24
"""Loads between none and the largest; the page interpolates between them."""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>%(title)s</title>
<style>
body{margin:0;background:#fbfaf7;color:#22303c;font:15px/1.4 system-ui,sans-serif}
main{max-width:960px;margin:0 auto;padding:20px}
h1{font-size:18px;margin:0 0 4px}p{margin:0 0 12px;color:#5b6770}
canvas{width:100%%;height:auto;display:block}
button{font:inherit;padding:3px 12px;margin-right:8px}input{width:55%%;vertical-align:middle}
</style></head><body><main>
<h1>%(title)s</h1><p>%(note)s</p>
<canvas id="c" width="1840" height="920"></canvas>
<p><button id="b">pause</button><input id="r" type="range" min="0" max="1000" value="0" aria-label="load">
<span id="t"></span></p>
</main><script>
(()=>{  // a scope of its own: window has names such as top already
const D=%(data)s;
const el=i=>document.getElementById(i),c=el("c"),g=c.getContext("2d"),r=el("r"),b=el("b");
let run=true,t0=null,u=0;
b.onclick=()=>{run=!run;t0=null;b.textContent=run?"pause":"play"};
r.oninput=()=>{run=false;b.textContent="play";u=r.value/1000;draw()};
const n=D.angles.length,W=c.width/n,H=c.height*0.72;
let x0=1e9,x1=-1e9,y0=1e9,y1=0;
for(const p of D.shapes.flat(2)){x0=Math.min(x0,p[0]);x1=Math.max(x1,p[0]);y0=Math.min(y0,p[1]);y1=Math.max(y1,p[1])}
const k=Math.min((W-60)/(x1-x0),(H-90)/(y1-y0));
const peak=Math.max(...D.force.flat()),far=Math.max(...D.deflection.flat());
function mix(a,i,w){return a[i].map((p,j)=>p.map((v,m)=>v+w*(a[i+1][j][m]-v)))}
function one(a,i,w){return a[i]+w*(a[i+1]-a[i])}
function line(a,X,Y){g.beginPath();a.forEach((p,j)=>j?g.lineTo(X(p),Y(p)):g.moveTo(X(p),Y(p)))}
function draw(){
 g.clearRect(0,0,c.width,c.height);g.lineJoin="round";g.font="26px system-ui,sans-serif";
 for(let a=0;a<n;a++){
  const m=D.force[a].length-1,i=Math.min(Math.floor(u*m),m-1),w=u*m-i,s=mix(D.shapes[a],i,w);
  const X=p=>a*W+30+(p[0]-x0)*k,Y=p=>80+(y1-p[1])*k;
  const low=Math.min(...s.map(p=>p[1]));
  g.strokeStyle="#9aa5ad";g.lineWidth=3;line([[a*W+16,low],[(a+1)*W-16,low]],p=>p[0],Y);g.stroke();
  g.fillStyle="#efe9dd";g.fillRect(a*W+16,Y([0,low]),W-32,Math.max(0,H+30-Y([0,low])));
  g.fillStyle="#c8442e";g.strokeStyle="#22303c";g.lineWidth=1.5;line(s,X,Y);g.closePath();g.fill();g.stroke();
  g.fillStyle="#22303c";g.fillRect(X([0,0])-14,Y([0,0])-14,28,20);
  const F=one(D.force[a],i,w),d=one(D.deflection[a],i,w);
  g.fillText(D.angles[a]+"°   "+F.toFixed(0)+" N   "+d.toFixed(1)+" mm",a*W+24,36);
  const bx=a*W+40,by=c.height-20,bw=W-80,bh=c.height-H-70;
  g.strokeStyle="#d5d9dc";g.lineWidth=2;g.strokeRect(bx,by-bh,bw,bh);
  g.font="20px system-ui,sans-serif";
  g.fillText("force to "+peak.toFixed(0)+" N over "+far.toFixed(0)+" mm",bx+8,by-bh+24);
  g.font="26px system-ui,sans-serif";
  const P=p=>bx+bw*p[0]/far,Q=p=>by-bh*p[1]/peak,curve=D.force[a].map((f,j)=>[D.deflection[a][j],f]);
  g.strokeStyle="#2f6690";g.lineWidth=4;line(curve,P,Q);g.stroke();
  g.fillStyle="#c8442e";g.beginPath();g.arc(P([d,F]),Q([d,F]),9,0,7);g.fill();
 }
 document.getElementById("t").textContent=" load "+(100*u).toFixed(0)+" %%";
}
function tick(t){
 if(run){if(t0===null)t0=t-Math.asin(Math.min(1,u))/Math.PI*3000;u=Math.abs(Math.sin(Math.PI*(t-t0)/3000));r.value=1000*u;draw()}
 requestAnimationFrame(tick)}
draw();requestAnimationFrame(tick);
})();
</script></body></html>
"""


def write_animation(test: LoadTest, file: Path) -> None:
    """Write a page that shows the blade bending at every angle, slowed down, beside its force-deflection curve."""
    shapes, forces, deflections = [], [], []
    for i in range(len(test.angles)):
        loads = np.flatnonzero(test.converged[i])
        chosen = np.unique(np.round(np.linspace(0, len(loads) - 1, FRAMES)).astype(int))
        rows = loads[chosen]
        faces = [outline(test, i, int(row)) for row in rows]
        shapes.append([_rounded(np.concatenate([sole[::2], top[::-2]])) for sole, top in faces])
        forces.append(np.round(test.force[i, rows], 1).tolist())
        deflections.append(np.round(1e3 * test.deflection[i, rows], 2).tolist())
    data = {
        "angles": [float(f"{angle:.3g}") for angle in np.degrees(test.angles)],
        "shapes": shapes,
        "force": forces,
        "deflection": deflections,
    }
    note = f"{test.blade.mass:.2f} kg, {test.blade.length:.2f} m along the blade. {test.blade.source}"
    page = PAGE % {
        "title": html.escape(f"Load test of blade {test.blade.name}"),
        "note": html.escape(note),
        "data": json.dumps(data, separators=(",", ":")).replace("</", "<\\/"),
    }
    file.write_text(page, encoding="utf-8", newline="\n")


def _rounded(points: np.ndarray) -> list[list[float]]:
    """Return points in millimetres, to a hundredth."""
    return [[round(1e3 * float(x), 2), round(1e3 * float(y), 2)] for x, y in points]

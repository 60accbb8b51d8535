"""`softstride chain`: which muscle, weight, contact or motion loads which joint of a planar chain."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softstride.cli.files import filled
from softstride.cli.output import JsonOption, print_json, print_lines
from softstride.errors import InputError
from softstride.notes import Note

if TYPE_CHECKING:
    from softstride.planar.case import Case

MOST_JOINTS = 4
"""Joints that are shown unless others are named."""


def command(
    chain: Annotated[
        str,
        typer.Argument(
            metavar="FILE|NAME", help="A chain (.toml), or a packaged one: squat, finger, spine, stance."
        ),
    ],
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Recording of a chain from markers (stance): a text table of columns."
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            metavar="FORM",
            help="distal: from what is beyond a joint; proximal: from what is before it. The file's own unless given.",
        ),
    ] = None,
    induced: Annotated[
        bool, typer.Option("--induced", help="Attribute accelerations to what causes them.")
    ] = False,
    find: Annotated[
        str | None,
        typer.Option(metavar="CONTACT", help="Find this contact from the balance of the whole chain."),
    ] = None,
    joint: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A joint to show, several times if wanted; four unless given."),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(
            metavar="S", help="Instant of the tables, in seconds; that of the largest reaction unless given."
        ),
    ] = None,
    equations: Annotated[
        bool,
        typer.Option("--equations", help="Print the closed form in symbols (needs SymPy), nothing else."),
    ] = False,
    svg: Annotated[bool, typer.Option("--svg", help="Draw an SVG picture in place of a PNG one.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Write all contributions as a table, too.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for picture and table; made if missing.")] = Path("chain"),
    json: JsonOption = False,
) -> None:
    """Say which muscle, weight, contact or motion loads which joint of a planar chain, and draw it over time.

    For example:

    softstride chain squat

    softstride chain squat --find wall --induced

    softstride chain my_chain.toml --joint knee --csv --out my_chain

    softstride chain stance --table rawdata.txt
    """
    from softstride.planar.library import load_chain

    case = load_chain(chain, table)
    if equations:
        _print_equations(case, json)
        return
    from softstride.cli.chain_figure import draw_contributions
    from softstride.cli.chain_table import View, print_view, view_figures

    case = _prepared(case, form, find)
    _check_contacts(case, induced)
    view = View.of(case, induced=induced, joints=tuple(joint or ()), most=MOST_JOINTS, time=time)
    picture = out / ("chain.svg" if svg else "chain.png")
    written = {"picture": str(picture)}
    with filled(out):
        draw_contributions(view, picture)
        if csv:
            view.result.save(out / "contributions.csv", overwrite=True)
            written["table"] = str(out / "contributions.csv")
    if json:
        print_json(view_figures(view) | written)
        return
    print_view(view)
    for word, path in written.items():
        typer.echo(f"{word}: {path}")


def _prepared(case: Case, form: str | None, find: str | None) -> Case:
    """Return the case in the form and with the contact that were asked for."""
    import dataclasses

    if find is not None:
        state = case.chain.balanced(case.state, find)
        words = f"Contact {find!r} was found from the balance of the whole chain."
        note = Note("contacts.of-the-balance", words, topic="contacts", names=(find,))
        case = dataclasses.replace(case, state=state, notes=(*case.notes, note))
    if form is None:
        return case
    if form not in ("distal", "proximal"):
        raise InputError(f"--form must be distal or proximal, however it is {form!r}")
    return dataclasses.replace(case, form=form)  # type: ignore[arg-type]


def _check_contacts(case: Case, induced: bool) -> None:
    """Refuse what needs a contact that is not known, in words of this command."""
    from softstride.planar.frames import resolve
    from softstride.planar.totals import lacking

    asked = "--induced" if induced else f"the {case.form} form"
    found = lacking(resolve(case.chain, case.state), "distal" if induced else case.form)
    if found is None:
        return
    (contact, link), other = found, "proximal" if case.form == "distal" else "distal"
    ways = f"--find {contact.name}" + ("" if induced else f", or --form {other}")
    raise InputError(
        f"contact {contact.name!r} on link {case.chain.links[link]!r} has neither force nor couple, however {asked} "
        f"needs it: give {ways}, or its force in the file"
    )


def _print_equations(case: Case, json: bool) -> None:
    from softstride.planar.symbolic import closed_form

    chain = case.chain
    form = closed_form(chain.n)
    if json:
        print_json({"n": chain.n, "equations": form.text().splitlines(), "latex": form.latex()})
        return
    names = ", ".join(f"{i} {name}" for i, name in enumerate(chain.links))
    print_lines([("links", "", names)], title=f"{chain.name}: closed form without muscles, angles absolute")
    typer.echo(form.text())

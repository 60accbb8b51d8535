"""Signatures of results, options and parts on the pages of the API, with the defaults that their fields declare."""

from collections.abc import Iterator

import griffe

BASES = {"softstride.results.Result", "softstride.fields.Frozen", "softstride.options.Options"}


class Results(griffe.Extension):
    """Gives every class whose fields are declared the `__init__` that it has when it runs."""

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        """Look at all classes of a package."""
        for kind in declaring(pkg):
            own = griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword)
            by_name = {each.name: each for base in (*reversed(kind.mro()), kind) for each in parameters(base)}
            init = griffe.Function("__init__", parameters=griffe.Parameters(own, *by_name.values()))
            kind.set_member("__init__", init)


def declaring(inside: griffe.Module | griffe.Class) -> Iterator[griffe.Class]:
    """Yield the classes of a module whose fields are declared."""
    for member in list(inside.members.values()):
        if member.is_alias:
            continue
        if member.is_class and BASES & {base.canonical_path for base in member.mro()}:
            yield member
        if member.is_module:
            yield from declaring(member)


def parameters(kind: griffe.Class) -> Iterator[griffe.Parameter]:
    """Yield what a class asks for."""
    if kind.canonical_path in BASES:
        return
    only_named = str(kind.keywords.get("kw_only")) == "True"
    how = griffe.ParameterKind.keyword_only if only_named else griffe.ParameterKind.positional_or_keyword
    for member in kind.members.values():
        if member.is_attribute and "property" not in member.labels and member.annotation is not None:
            if "class-attribute" in member.labels and "instance-attribute" not in member.labels:
                continue
            default = default_of(member.value)
            yield griffe.Parameter(member.name, annotation=member.annotation, kind=how, default=default)


def default_of(value: griffe.Expr | str | None) -> griffe.Expr | str | None:
    """Return the default that a field names: of `values`, `field` and `declared` what they are given for it."""
    if not isinstance(value, griffe.ExprCall):
        return value
    given = {each.name: each.value for each in value.arguments if isinstance(each, griffe.ExprKeyword)}
    for maker in ("default_factory", "factory"):
        if maker in given:
            return griffe.ExprCall(function=given[maker], arguments=[])
    if value.canonical_path == "softstride.fields.declared" and value.arguments:
        first = value.arguments[0]
        return None if isinstance(first, griffe.ExprKeyword) or str(first) == "..." else first
    return given.get("default")

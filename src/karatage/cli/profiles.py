"""`karatage profiles`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import completion, options as o


def run(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", autocompletion=completion.profile, help="Profile to show in full.")
    ] = None,
    json: o.Json = False,
) -> None:
    """List the profiles, or show one in full."""
    from karatage.profiles import get_profile, profile_names

    chosen = [get_profile(n) for n in ([name] if name else profile_names())]
    if json:
        rows = [
            {
                "name": p.name,
                "about": p.about,
                "like": p.like,
                "search": p.search,
                "match": None if p.search else p.rule.name,
                "headline": p.headline,
                "metrics": {k: str(m) for k, m in p.metrics.items()},
                "quirks": p.quirks,
            }
            for p in chosen
        ]
        o.print_json(rows[0] if name else rows)
        return
    from karatage.reports import print_table

    if name is None:
        print_table(("profile", "headline", "description"), [(p.name, p.headline, p.about) for p in chosen])
        return
    (profile,) = chosen
    if profile.search:
        how = [("ties", profile.ties), *profile.label_rules.shown()]
    else:
        how = [
            ("tags", f"decoded as in {profile.reader}" + (f", scheme {profile.scheme}" if profile.scheme else "")),
            *([("adjacent entities", "merged if they have the same label")] if profile.merge else []),
            ("match", profile.rule.name + (f" at {profile.rule.threshold}" if profile.rule.threshold else "")),
        ]
    rows_ = [
        ("about", profile.about),
        *how,
        ("metrics", ", ".join(profile.metrics)),
        ("headline", profile.headline),
        ("undefined values", profile.exports),
        ("missing predictions", profile.units.missing),
        ("predictions without gold", profile.units.extra),
        *(("quirk", quirk) for quirk in profile.quirks),
    ]
    print_table(("profile", profile.name), rows_)

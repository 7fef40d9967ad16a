"""`karatage formats`."""

from __future__ import annotations

from karatage.cli import options as o


def run(json: o.Json = False) -> None:
    """List the file formats."""
    from karatage.formats import format_names, get_format
    from karatage.samples import LOG_FORMATS

    logs = [LOG_FORMATS[name] for name in LOG_FORMATS.names()]
    found = [get_format(name) for name in format_names()]
    if json:
        rows = [
            {
                "name": f.name,
                "about": f.about,
                "suffixes": f.suffixes,
                "holds": sorted(f.holds),
                "writes": f.write is not None,
            }
            for f in found
        ]
        rows += [
            {"name": f.name, "about": f.about, "suffixes": f.suffixes, "holds": ["logged scores"], "writes": False}
            for f in logs
        ]
        o.print_json(rows)
        return
    from karatage.reports import print_table

    print_table(
        ("format", "file extensions", "description"),
        [
            *((f.name, " ".join(f.suffixes), f.about + ("" if f.write else " Read only.")) for f in found),
            *((f.name, " ".join(f.suffixes), f"{f.about} Scores, without gold.") for f in logs),
        ],
    )

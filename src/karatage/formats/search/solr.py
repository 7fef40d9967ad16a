"""Responses of Solr, read as those of Elasticsearch are: documents with an id and perhaps a score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from karatage.formats.cells import scalar_text
from karatage.formats.json.json_members import JsonObject


def is_solr(value: Any) -> bool:
    """Whether a value is a response of Solr."""
    return isinstance(value, Mapping) and _has_docs(value.get("response"))


def _has_docs(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("docs"), list) and "numFound" in value


def solr_hits(record: JsonObject) -> JsonObject:
    """Return the same documents as hits of Elasticsearch; without scores, their order is that by relevance."""
    response = record.object("response")
    hits = []
    for place, document in enumerate(response.objects("docs")):
        if "id" not in document:
            document.fail(f"{document.path} has no id", "Request the unique key as id: fl=id,score")
        score = document.members.get("score", -(place + 1))
        hits.append({"_id": document.members["id"], "_score": score})
    content = {"hits": {"total": response.members.get("numFound"), "hits": hits}}
    failed = {"error": record.members["error"]} if "error" in record else {}
    return JsonObject({**content, **failed}, record.source, record.line, unit=record.unit)


def solr_query(record: JsonObject) -> str | None:
    """Return the query that Solr echoes: the parameter `q`, if the response has it."""
    header = record.members.get("responseHeader")
    parameters = header.get("params") if isinstance(header, Mapping) else None
    return scalar_text(parameters.get("q")) or None if isinstance(parameters, Mapping) else None

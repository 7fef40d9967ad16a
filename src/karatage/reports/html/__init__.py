"""One self-contained HTML page made of plain blocks: tables, heat maps, figures, an error browser."""

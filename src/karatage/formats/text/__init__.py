"""Plain text, and standoff annotations beside it."""

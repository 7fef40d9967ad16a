"""Where it fails: errors by kind, slices, changes, confidence, and what looks wrong in the gold itself."""

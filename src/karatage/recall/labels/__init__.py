"""Labels: read what annotators answered, measure their agreement, and decide on each item."""

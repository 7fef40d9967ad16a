"""Labels: what annotators said, how far they agree, what holds, and the benchmark that follows."""

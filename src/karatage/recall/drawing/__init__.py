"""Drawing a sample: find and count every candidate in a corpus, and draw a random sample of each stratum to label."""

"""The SIGIR eCom'19 high-accuracy recall challenge."""

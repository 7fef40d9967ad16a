"""Neural models in PyTorch and their training loop; imported only when one is used."""

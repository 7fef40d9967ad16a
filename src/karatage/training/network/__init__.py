"""Neural models: networks in PyTorch, their training loop and what they need; imported only where one is used."""

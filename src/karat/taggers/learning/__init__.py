"""Trainable taggers."""

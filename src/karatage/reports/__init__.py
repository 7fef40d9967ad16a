"""How results look: terminal tables and notebook tables."""

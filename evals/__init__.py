"""How often it was right, and whether it kept silent when it should."""

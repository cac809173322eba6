"""The page: one HTML file, its styles and modules, its words by language; it talks to the server's own routes."""

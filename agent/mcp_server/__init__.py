"""The MCP face: search, open, follow and ask as tools of an MCP server, and each article as a resource."""

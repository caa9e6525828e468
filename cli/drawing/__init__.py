"""A workflow as a picture: what it shows, where that lies, and how it is written."""

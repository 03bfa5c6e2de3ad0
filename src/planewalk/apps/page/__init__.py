"""The studio in a web page without a server: Python runs in a worker of the page."""

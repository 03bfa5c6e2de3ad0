"""How to run any language. Nothing here knows which one."""

"""The Debug Adapter Protocol: runs in every editor that speaks it."""

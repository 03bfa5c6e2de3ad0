"""The Debug Adapter Protocol, for debugging in editors."""

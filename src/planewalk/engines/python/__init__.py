"""The first tier: recorded code as Python, made while the run goes on."""

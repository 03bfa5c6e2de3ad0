"""The inner loops of BMProg's own engine."""

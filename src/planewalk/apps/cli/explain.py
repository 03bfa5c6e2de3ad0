def add_arguments(parser): pass
def perform(arguments): return 0

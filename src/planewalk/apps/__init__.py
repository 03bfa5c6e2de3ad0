"""Where planewalk is used. Only apps open files, terminals and clocks."""
